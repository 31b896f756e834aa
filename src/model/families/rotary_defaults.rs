//! Default angles of model types, for configurations that leave them out.
//!
//! The values are those of the configuration classes of the transformers library, version 5.24, and of the class of
//! each model's rotary module.

use super::Config;

/// Default angles of a model type.
#[derive(Clone, Copy, Debug)]
pub(super) struct UsualAngles {
    model_type: &'static str,
    pub(super) base: f64,
    /// Base of the layers with a local window, if they have their own.
    pub(super) local_base: Option<f64>,
    /// Columns of a head, if not the width of the model divided by the number of heads.
    pub(super) head: Option<u32>,
    /// Columns of a head in global layers, if they have their own.
    pub(super) global_head: Option<u32>,
    /// Share of a head's columns that rotate.
    pub(super) share: f64,
}

const fn usual(model_type: &'static str, base: f64) -> UsualAngles {
    UsualAngles {
        model_type,
        base,
        local_base: None,
        head: None,
        global_head: None,
        share: 1.0,
    }
}

impl UsualAngles {
    const fn local(self, base: f64) -> Self {
        Self {
            local_base: Some(base),
            ..self
        }
    }

    const fn head(self, columns: u32) -> Self {
        Self {
            head: Some(columns),
            ..self
        }
    }

    const fn global_head(self, columns: u32) -> Self {
        Self {
            global_head: Some(columns),
            ..self
        }
    }

    const fn share(self, share: f64) -> Self {
        Self { share, ..self }
    }
}

/// The default angles of the configuration's model type.
pub(super) fn usual_of(config: &Config) -> Option<&'static UsualAngles> {
    let model_type = config.model_type.as_deref()?;
    USUAL.iter().find(|usual| usual.model_type == model_type)
}

/// Model types whose configuration may leave out their angles.
#[rustfmt::skip]
const USUAL: &[UsualAngles] = &[
    usual("afmoe", 10_000.0),
    usual("apertus", 12_000_000.0),
    usual("apertus1p5_text", 12_000_000.0),
    usual("arcee", 10_000.0),
    usual("aria_text", 10_000.0),
    usual("axk1", 10_000.0),
    usual("axk2", 10_000.0),
    usual("bailing_hybrid", 6_000_000.0),
    usual("bamba", 10_000.0).share(0.5),
    usual("beam", 10_000.0).local(10_000.0),
    usual("bitnet", 500_000.0),
    usual("chameleon", 10_000.0),
    usual("codegen", 10_000.0),
    usual("cohere", 500_000.0),
    usual("cohere2", 10_000.0),
    usual("cohere2_moe", 10_000.0),
    usual("cosmos3_edge_text", 100_000_000.0),
    usual("csm", 500_000.0),
    usual("cwm", 1_000_000.0),
    usual("deepseek_ocr2_text", 10_000.0),
    usual("deepseek_v2", 10_000.0),
    usual("deepseek_v3", 10_000.0),
    usual("deepseek_v32", 10_000.0),
    usual("dia_decoder", 10_000.0),
    usual("diffllama", 10_000.0),
    usual("diffusion_gemma_text", 1_000_000.0).local(10_000.0).head(256).global_head(512),
    usual("doge", 10_000.0),
    usual("dots1", 10_000.0),
    usual("embedding_gemma2_text", 1_000_000.0).local(10_000.0).head(256).global_head(512),
    usual("emu3_text_model", 1_000_000.0),
    usual("ernie4_5", 500_000.0).head(128),
    usual("ernie4_5_moe", 500_000.0),
    usual("ernie4_5_vl_moe_text", 500_000.0),
    usual("esm", 10_000.0),
    usual("esmc", 10_000.0),
    usual("eurobert", 10_000.0),
    usual("evolla", 500_000.0),
    usual("exaone4", 10_000.0),
    usual("exaone_moe", 10_000.0),
    usual("falcon", 10_000.0),
    usual("falcon_h1", 10_000.0),
    usual("flex_olmo", 500_000.0),
    usual("flint", 10_000.0),
    usual("gemma", 10_000.0).head(256),
    usual("gemma2", 10_000.0).head(256),
    usual("gemma3_text", 1_000_000.0).local(10_000.0).head(256),
    usual("gemma3n_text", 1_000_000.0).local(10_000.0).head(256),
    usual("gemma4_text", 1_000_000.0).local(10_000.0).head(256).global_head(512),
    usual("gemma4_unified_text", 1_000_000.0).local(10_000.0).head(256).global_head(512),
    usual("glm", 10_000.0).head(128).share(0.5),
    usual("glm4", 10_000.0).head(128).share(0.5),
    usual("glm4_moe", 10_000.0).share(0.5),
    usual("glm4_moe_lite", 10_000.0),
    usual("glm4v_moe_text", 10_000.0).share(0.5),
    usual("glm4v_text", 10_000.0),
    usual("glm_image_text", 10_000.0),
    usual("glm_moe_dsa", 10_000.0),
    usual("glm_ocr_text", 10_000.0),
    usual("gpt_neox", 10_000.0).share(0.25),
    usual("gpt_neox_japanese", 10_000.0),
    usual("gpt_oss", 150_000.0).head(64),
    usual("gptj", 10_000.0),
    usual("granite", 10_000.0),
    usual("granite_docling_text", 10_000.0),
    usual("granite_swa", 10_000.0),
    usual("granitemoe", 10_000.0),
    usual("granitemoe_swa", 10_000.0),
    usual("granitemoehybrid", 10_000.0),
    usual("granitemoeshared", 10_000.0),
    usual("gte", 160_000.0),
    usual("helium", 100_000.0).head(128),
    usual("hrm_text", 10_000.0),
    usual("hunyuan_v1_dense", 10_000.0),
    usual("hunyuan_v1_moe", 10_000.0),
    usual("hunyuan_vl_text", 10_000.0),
    usual("hy_v3", 11_158_840.0),
    usual("hy_v4", 10_000.0),
    usual("hy_v4_vl_text", 10_000.0),
    usual("hyperclovax", 10_000.0),
    usual("idefics", 10_000.0),
    usual("jais2", 10_000.0),
    usual("jetmoe", 10_000.0),
    usual("jina_embeddings_v3", 20_000.0),
    usual("kolibri1", 10_000.0),
    usual("laguna", 500_000.0).local(10_000.0).head(128).share(0.5),
    usual("lara_mini", 10_000.0),
    usual("lfm2", 1_000_000.0),
    usual("lfm2_moe", 1_000_000.0),
    usual("llama", 10_000.0),
    usual("llama4_text", 500_000.0),
    usual("longcat_flash", 10_000_000.0),
    usual("mellum", 500_000.0).local(10_000.0).head(128),
    usual("mimo_v2_flash", 5_000_000.0).local(10_000.0).head(192).share(0.334),
    usual("minicpm3", 10_000.0),
    usual("minimax", 1_000_000.0),
    usual("minimax_m2", 5_000_000.0).head(128),
    usual("minimax_m3_vl_text", 5_000_000.0),
    usual("ministral", 10_000.0),
    usual("ministral3", 1_000_000.0),
    usual("mistral", 10_000.0),
    usual("mistral4", 10_000.0).share(0.5),
    usual("mistral_large4_text", 10_000.0),
    usual("mixtral", 1_000_000.0),
    usual("mllama_text_model", 500_000.0),
    usual("modernbert", 160_000.0).local(10_000.0),
    usual("modernbert-decoder", 160_000.0).local(10_000.0),
    usual("molmo2_text", 10_000.0),
    usual("muse_glimmer_assistant", 500_000.0),
    usual("muse_glimmer_text", 10_000.0),
    usual("muse_spark_text", 500_000.0),
    usual("nanochat", 10_000.0),
    usual("nemotron", 10_000.0).head(128).share(0.5),
    usual("neomme", 1_000_000.0).local(10_000.0).share(0.25),
    usual("nomic_bert", 1000.0),
    usual("olmo", 10_000.0),
    usual("olmo2", 10_000.0),
    usual("olmo3", 500_000.0).local(500_000.0),
    usual("olmo_hybrid", 10_000.0),
    usual("olmoe", 10_000.0),
    usual("openai_privacy_filter", 150_000.0).head(64),
    usual("paddleocr_vl_text", 500_000.0),
    usual("persimmon", 10_000.0).share(0.5),
    usual("phi", 10_000.0).share(0.5),
    usual("phi3", 10_000.0),
    usual("phi4_multimodal", 10_000.0),
    usual("phimoe", 1_000_000.0),
    usual("qwen2", 10_000.0),
    usual("qwen2_5_omni_talker", 1_000_000.0),
    usual("qwen2_5_omni_text", 1_000_000.0),
    usual("qwen2_5_vl_text", 1_000_000.0),
    usual("qwen2_moe", 10_000.0),
    usual("qwen2_vl_text", 1_000_000.0),
    usual("qwen3", 10_000.0).head(128),
    usual("qwen3_5_moe_text", 10_000.0).head(256).share(0.25),
    usual("qwen3_5_text", 10_000.0).head(256).share(0.25),
    usual("qwen3_moe", 10_000.0),
    usual("qwen3_next", 10_000.0).head(256).share(0.25),
    usual("qwen3_omni_moe_talker_code_predictor", 10_000.0),
    usual("qwen3_omni_moe_talker_text", 10_000.0),
    usual("qwen3_omni_moe_text", 1_000_000.0),
    usual("qwen3_vl_moe_text", 500_000.0),
    usual("qwen3_vl_text", 500_000.0).head(128),
    usual("qwen4_exp_text", 10_000.0),
    usual("recurrent_gemma", 10_000.0).share(0.5),
    usual("roformer", 10_000.0),
    usual("seed_oss", 10_000.0).head(128),
    usual("smollm3", 2_000_000.0),
    usual("solar_open", 1_000_000.0),
    usual("stablelm", 10_000.0).share(0.25),
    usual("starcoder2", 10_000.0),
    usual("step3p5", 10_000.0),
    usual("t5gemma2_decoder", 1_000_000.0).local(10_000.0).head(256),
    usual("t5gemma2_text", 1_000_000.0).local(10_000.0).head(256),
    usual("ultrabert", 2_560_000.0).local(10_000.0),
    usual("unlimited_ocr_text", 10_000.0),
    usual("vaultgemma", 10_000.0).head(256),
    usual("voxtral_realtime_text", 10_000.0),
    usual("youtu", 10_000.0),
    usual("zamba2", 10_000.0),
];
