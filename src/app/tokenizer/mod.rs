//! The tokenizer of a text: its files, and the client of the program that tokenizes.

mod client;
mod files;
mod loss;

pub(in crate::app) use client::TokenizerClient;
pub(in crate::app) use files::{site_tokenizer, tokenizer_files};
