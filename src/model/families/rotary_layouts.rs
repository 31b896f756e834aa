//! Names of the tensors of rotary models' blocks, one function per layout.

use super::{
    BlockDescription, Cut, ExpertsDescription, FeedForwardDescription, LinearTensors,
    ResidualDescription, rotary_blocks::RotaryBlocks,
};

impl RotaryBlocks<'_> {
    pub(super) fn llama(&self, at: usize) -> BlockDescription {
        let stem = format!("layers.{at}");
        let map = |name: &str| LinearTensors::new(&self.model, &format!("{stem}.{name}"));
        let maps = ["q_proj", "k_proj", "v_proj", "o_proj"];
        let maps = maps.map(|name| map(&format!("self_attn.{name}")));
        // Gemma 3 has norms on both sides of each part.
        let before = "pre_feedforward_layernorm";
        let is_double = self.model.has(&format!("{stem}.{before}.weight"));
        let residual = |first: &str, last: &str| ResidualDescription {
            output_norm: is_double.then(|| self.norm(&format!("{stem}.{last}"))),
            ..ResidualDescription::pre_norm(self.norm(&format!("{stem}.{first}")))
        };
        let attention = "post_attention_layernorm";
        let second = if is_double { before } else { attention };
        let mut attention = self.attention(at, maps, residual("input_layernorm", attention));
        attention.query_key_norms = self.query_key_norms(
            &format!("{stem}.self_attn.q_norm"),
            &format!("{stem}.self_attn.k_norm"),
        );
        let last = residual(second, "post_feedforward_layernorm");
        if self.is_gpt_oss() {
            attention.sinks = Some(self.model.name(&format!("{stem}.self_attn.sinks")));
            return BlockDescription::new(attention, self.experts(&format!("{stem}.mlp"), last));
        }
        let part = FeedForwardDescription::plain(
            map("mlp.up_proj"),
            map("mlp.down_proj"),
            self.activation(),
            last,
        );
        BlockDescription::new(attention, part.gate(map("mlp.gate_proj")))
    }

    /// Experts of gpt-oss, whose maps are stacked.
    fn experts(&self, stem: &str, residual: ResidualDescription) -> FeedForwardDescription {
        let stack = |name: &str| {
            let weight = format!("{stem}.experts.{name}");
            let bias = format!("{weight}_bias");
            LinearTensors::from_names(&self.model, &weight, Some(&bias), Cut::COLUMNS)
        };
        let (active, limit) = self.expert_settings();
        let (inner, output) = (stack("gate_up_proj"), stack("down_proj"));
        FeedForwardDescription::plain(inner, output, self.expert_activation(), residual).experts(
            ExpertsDescription {
                router: LinearTensors::new(&self.model, &format!("{stem}.router")),
                active,
                limit,
            },
        )
    }

    pub(super) fn neox(&self, at: usize) -> BlockDescription {
        let stem = format!("layers.{at}");
        let map = |name: &str| LinearTensors::new(&self.model, &format!("{stem}.{name}"));
        let norm = |name: &str| self.norm(&format!("{stem}.{name}"));
        let [query, key, value] = LinearTensors::thirds(
            &self.model,
            &format!("{stem}.attention.query_key_value"),
            Cut::third_of_heads,
        );
        let maps = [query, key, value, map("attention.dense")];
        let first = ResidualDescription::pre_norm(norm("input_layernorm"));
        BlockDescription {
            is_parallel: self.is_parallel(),
            ..BlockDescription::new(
                self.attention(at, maps, first),
                FeedForwardDescription::plain(
                    map("mlp.dense_h_to_4h"),
                    map("mlp.dense_4h_to_h"),
                    self.activation(),
                    ResidualDescription::pre_norm(norm("post_attention_layernorm")),
                ),
            )
        }
    }

    /// The first block begins without a norm, for the embedding ends with one. The first half of `Wi` is the gate.
    pub(super) fn modern_bert(&self, at: usize) -> BlockDescription {
        let stem = format!("layers.{at}");
        let map = |name: &str| LinearTensors::new(&self.model, &format!("{stem}.{name}"));
        let residual = |name: &str| ResidualDescription {
            input_norm: Some(self.norm(&format!("{stem}.{name}"))),
            ..ResidualDescription::default()
        };
        let [query, key, value] = LinearTensors::thirds(
            &self.model,
            &format!("{stem}.attn.Wqkv"),
            Cut::third_of_rows,
        );
        let maps = [query, key, value, map("attn.Wo")];
        let first = match at {
            0 => ResidualDescription::default(),
            _ => residual("attn_norm"),
        };
        let [gate, inner] = self.halves(&format!("{stem}.mlp.Wi"));
        let part = FeedForwardDescription::plain(
            inner,
            map("mlp.Wo"),
            self.activation(),
            residual("mlp_norm"),
        );
        BlockDescription::new(self.attention(at, maps, first), part.gate(gate))
    }

    pub(super) fn gguf(&self, at: usize) -> BlockDescription {
        let name = |end: &str| format!("blk.{at}.{end}");
        let map = |end: &str| LinearTensors::new(&self.model, &name(end));
        let norm = |end: &str| {
            let exists = self.model.norm(&name(end)).is_some();
            exists.then(|| self.norm(&name(end)))
        };
        let is_bert = self.model_type == "modern-bert";
        let residual = |first: &str, last: &str| ResidualDescription {
            // The first block of ModernBERT begins without a norm.
            input_norm: norm(first).or((!is_bert).then(|| self.norm(&name(first)))),
            output_norm: norm(last),
            ..ResidualDescription::default()
        };
        let is_fused = self.model.has(&name("attn_qkv.weight"));
        let [query, key, value] = if is_fused {
            LinearTensors::thirds(&self.model, &name("attn_qkv"), Cut::third_of_rows)
        } else {
            ["attn_q", "attn_k", "attn_v"].map(map)
        };
        let maps = [query, key, value, map("attn_output")];
        let first = residual("attn_norm", "post_attention_norm");
        let mut attention = self.attention(at, maps, first);
        attention.query_key_norms =
            self.query_key_norms(&name("attn_q_norm"), &name("attn_k_norm"));
        let (inner, gate) = match self.model_type {
            "gptneox" => (map("ffn_up"), None),
            "modern-bert" => {
                let [gate, inner] = self.halves(&name("ffn_up"));
                (inner, Some(gate))
            }
            _ => (map("ffn_up"), Some(map("ffn_gate"))),
        };
        let feed_forward = FeedForwardDescription {
            gate,
            ..FeedForwardDescription::plain(
                inner,
                map("ffn_down"),
                self.activation(),
                residual("ffn_norm", "post_ffw_norm"),
            )
        };
        BlockDescription {
            is_parallel: self.is_parallel(),
            ..BlockDescription::new(attention, feed_forward)
        }
    }
}
