//! The tokenizer of a text: the client of the program that tokenizes.

mod client;
mod loss;

pub(in crate::app) use client::TokenizerClient;
