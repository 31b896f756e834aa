//! WebGPU in Chromium, with a software renderer: the GPU's numbers agree with the CPU's.

use browser::processes::{kill, processes};
use browser::session::PATIENCE;
use browser::worker_changes::{self, Worker};
use browser::{Page, Result, race_module, scenarios};
use serde_json::from_value;
use xtask::server::Content;

/// Tolerance between GPU and CPU, as a share of the range.
const AGREEMENT: f64 = 1e-5;

scenarios! {
    in_every_engine: [
        without_webgpu_the_cpu_computes,
    ],
    in_chromium: [
        kernels_agree_with_the_cpu,
        a_head_attends_alike_on_both,
        a_lost_gpu_loses_nothing,
        a_killed_gpu_loses_nothing,
        a_gpu_is_lost_at_every_step_of_a_task,
        a_gpu_that_lies_is_found_out,
    ],
}

/// A head of the preset beside kernels, at a length that tiles do not divide.
const HEAD: &str = "?view=kernels&model=minilm-l6&mode=computed&layer=2&head=3&added=head&n=";

/// The device of the last computation and its time, as shown on the page.
const SAID: &str = "document.querySelector('.computing output')?.textContent ?? ''";

/// Waits until the page's computing line contains the words.
fn says(page: &Page, words: &str) -> Result {
    page.wait_until(&format!("({SAID}).includes('{words}')"))
        .map(drop)
        .map_err(|error| format!("{error}; the page says: {:?}", page.eval(SAID)).into())
}

/// Opens the head at a length, computed on the given device.
fn opens(page: &Page, n: usize, by: &str) -> Result {
    page.open(&format!("{HEAD}{n}&compute={by}"))?;
    page.model("minilm-l6")?;
    page.figure("head-attention")?;
    page.computed(PATIENCE)
}

/// Changes the length by a history entry, as a link in the page would.
fn at_length(page: &Page, n: usize) -> Result {
    let step = format!(
        "(history.pushState(null, '', location.search.replace(/([?&])n=[0-9]+/, '$1n={n}')),\
         dispatchEvent(new PopStateEvent('popstate')), true)"
    );
    page.eval(&step)?;
    page.wait_until(&format!("location.search.includes('n={n}')"))
        .map(drop)
}

/// The cells of the head's attention map at length 100, as the CPU computes them.
fn map_by_cpu(page: &Page) -> Result<Vec<f64>> {
    opens(page, 100, "cpu")?;
    map(page, 100)
}

/// The cells of the head's attention map.
fn map(page: &Page, n: usize) -> Result<Vec<f64>> {
    page.computed(PATIENCE)?;
    page.figure("head-attention")?;
    let table = page.csv("head-attention")?;
    let cells = table
        .rows
        .iter()
        .flat_map(|row| &row[row.len() - n.min(row.len())..]);
    Ok(cells.filter_map(|cell| cell.parse().ok()).collect())
}

fn alike(found: &[f64], expected: &[f64]) -> Result {
    let range = expected.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
    if found.len() != expected.len() || found.len() < 1000 || range > 1.0 {
        let lengths = (found.len(), expected.len());
        return Err(format!("{lengths:?} cells up to {range}").into());
    }
    let mut pairs = found.iter().zip(expected);
    match pairs.find(|(a, b)| (*a - *b).abs() > AGREEMENT * range) {
        Some((a, b)) => Err(format!("{a} is not {b}").into()),
        None => Ok(()),
    }
}

fn without_webgpu_the_cpu_computes(page: &Page) -> Result {
    let expected = map_by_cpu(page)?;
    says(page, "CPU, ")?;
    opens(page, 100, "gpu")?;
    says(page, "; the CPU computes.")?;
    alike(&map(page, 100)?, &expected)?;
    // With the automatic choice, the page does not mention missing browser features.
    page.script(
        "[...document.querySelectorAll('.computing button')].find(b => b.textContent === 'CPU').click()",
        vec![],
    )?;
    page.wait_until("location.search.includes('compute=cpu')")?;
    page.wait_until(&format!("!({SAID}).includes('computes')"))?;
    opens(page, 100, "auto")?;
    says(page, "CPU, ")?;
    let text = page.eval(SAID)?.to_string();
    assert!(!text.contains("computes"), "{text}");
    Ok(())
}

fn a_head_attends_alike_on_both(page: &Page) -> Result {
    let expected = map_by_cpu(page)?;
    let page = with_gpu(page, page.content()?)?;
    opens(&page, 100, "gpu")?;
    says(&page, "GPU, ")?;
    alike(&map(&page, 100)?, &expected)?;
    page.met_no_error()
}

/// A browser with WebGPU, and a script that runs first in the page's worker.
fn with_script(page: &Page, script: &str) -> Result<Page> {
    with_gpu(
        page,
        worker_changes::with_script(page, Worker::All, &format!("{script}\n"))?,
    )
}

fn a_lost_gpu_loses_nothing(page: &Page) -> Result {
    const DESTROY: &str = "{
        const request = GPUAdapter.prototype.requestDevice;
        GPUAdapter.prototype.requestDevice = async function (...all) {
          const device = await request.apply(this, all);
          new BroadcastChannel('gpu').addEventListener('message', () => device.destroy());
          return device;
        };
      }";
    let expected = map_by_cpu(page)?;
    let page = with_script(page, DESTROY)?;
    opens(&page, 101, "gpu")?;
    says(&page, "GPU, ")?;
    page.eval("(new BroadcastChannel('gpu').postMessage(1), true)")?;
    at_length(&page, 100)?;
    says(&page, "the CPU computes.")?;
    alike(&map(&page, 100)?, &expected)?;
    // The next device repeats the task of the lost one.
    at_length(&page, 99)?;
    says(&page, "GPU, ")?;
    assert_eq!(page.current_model()?, "minilm-l6");
    page.met_no_error()
}

/// Kills the browser's GPU process while a head is shown; every device is lost.
fn a_killed_gpu_loses_nothing(page: &Page) -> Result {
    let expected = map_by_cpu(page)?;
    let page = with_gpu(page, page.content()?)?;
    opens(&page, 101, "gpu")?;
    says(&page, "GPU, ")?;
    let ended = processes(&page, "gpu-process")?;
    assert!(!ended.is_empty(), "no process to end");
    for process in &ended {
        kill(*process)?;
    }
    at_length(&page, 100)?;
    alike(&map(&page, 100)?, &expected)?;
    assert_eq!(page.current_model()?, "minilm-l6");
    page.met_no_error()
}

/// The device is lost right before its first call of each kind after the trial.
fn a_gpu_is_lost_at_every_step_of_a_task(page: &Page) -> Result {
    let steps = [
        "GPUDevice.prototype.createBuffer",
        "GPUDevice.prototype.createBindGroup",
        "GPUDevice.prototype.createCommandEncoder",
        "GPUQueue.prototype.writeBuffer",
        "GPUQueue.prototype.submit",
        "GPUBuffer.prototype.mapAsync",
        "GPUBuffer.prototype.getMappedRange",
    ];
    let listed: String = steps
        .iter()
        .filter_map(|step| step.rsplit_once('.'))
        .map(|(of, name)| format!("[{of}, '{name}'],"))
        .collect();
    let script = format!(
        "{{ let device, at = -1;
            const request = GPUAdapter.prototype.requestDevice;
            GPUAdapter.prototype.requestDevice = async function (...all) {{
              return device = await request.apply(this, all);
            }};
            [{listed}].forEach(([of, name], step) => {{
              const does = of[name];
              of[name] = function (...all) {{
                if (step === at) {{ at = -1; device.destroy(); }}
                return does.apply(this, all);
              }};
            }});
            new BroadcastChannel('gpu').addEventListener('message', ({{ data }}) => {{ at = data; }}); }}"
    );
    let expected = map_by_cpu(page)?;
    let page = with_script(page, &script)?;
    for (at, step) in steps.iter().enumerate() {
        // A page replaces at most three lost devices, so each step loads it anew.
        opens(&page, 101, "gpu")?;
        says(&page, "GPU, ")?;
        page.eval(&format!(
            "(new BroadcastChannel('gpu').postMessage({at}), true)"
        ))?;
        at_length(&page, 100)?;
        says(&page, "the CPU computes.").map_err(|error| format!("{step}: {error}"))?;
        alike(&map(&page, 100)?, &expected).map_err(|error| format!("{step}: {error}"))?;
        at_length(&page, 99)?;
        says(&page, "GPU, ").map_err(|error| format!("after {step}: {error}"))?;
        page.met_no_error()?;
    }
    Ok(())
}

fn a_gpu_that_lies_is_found_out(page: &Page) -> Result {
    const PROMISES: &str = "GPUDevice.prototype.createBuffer = (create => function (wanted) {
        return create.call(this, { ...wanted, size: this.limits.maxBufferSize * 4 });
      })(GPUDevice.prototype.createBuffer);";
    const WRONG: &str = "GPUQueue.prototype.writeBuffer = () => {};";
    const NONE: &str =
        "GPUAdapter.prototype.requestDevice = () => Promise.reject(new Error('no'));";
    // Stops answering after the trial, which reads three buffers.
    const SILENT: &str = "let maps = 0;
      GPUBuffer.prototype.mapAsync = (map => function (...all) {
        return ++maps > 3 ? new Promise(() => {}) : map.apply(this, all);
      })(GPUBuffer.prototype.mapAsync);";
    let expected = map_by_cpu(page)?;
    for (script, words) in [
        (PROMISES, "The GPU refused a command"),
        (WRONG, "The GPU failed a trial"),
        (NONE, "The browser grants no GPU"),
        (SILENT, "The GPU took more than two seconds"),
    ] {
        let page = with_script(page, script)?;
        opens(&page, 100, "gpu")?;
        says(&page, words)?;
        alike(&map(&page, 100)?, &expected)?;
        page.met_no_error()?;
    }
    Ok(())
}

/// Starts a second browser, with WebGPU.
fn with_gpu(page: &Page, content: Content) -> Result<Page> {
    Page::start_with_gpu(&page.engine.programs()?, content)
}

fn kernels_agree_with_the_cpu(page: &Page) -> Result {
    let mut content = page.content()?;
    content.overlay.extend(race_module::quick_module()?);
    let page = with_gpu(page, content)?;
    page.goto(page.base())?;
    // A promise of that many comparisons outlasts a script's time limit.
    page.eval(
        "(window.found = undefined, import(new URL('races.js', location.href))\
         .then(async races => { await races.default(); window.found = { agreement: await races.gpu_agreement() }; })\
         .catch(error => { window.found = { error: String(error) }; }), true)",
    )?;
    page.wait_until_within("window.found", PATIENCE * 10)?;
    let error = page.eval("window.found.error ?? ''")?;
    if error != "" {
        return Err(format!("the GPU failed: {error}").into());
    }
    let found: String = from_value(page.eval("window.found.agreement")?)?;
    let mut worst = ("", 0.0);
    let mut wrong = Vec::new();
    for line in found.lines() {
        let (name, share) = line.split_once('\t').ok_or("no share")?;
        let share: f64 = share.parse()?;
        if share > AGREEMENT || share.is_nan() {
            wrong.push(line);
        }
        if share > worst.1 {
            worst = (name, share);
        }
    }
    println!(
        "\n{} comparisons, at worst {:e} in {}",
        found.lines().count(),
        worst.1,
        worst.0
    );
    if wrong.is_empty() {
        Ok(())
    } else {
        wrong.truncate(20);
        Err(format!("the GPU differs from the CPU:\n{}", wrong.join("\n")).into())
    }
}
