//! The movement from a matrix to its Toeplitz part.

use browser::{Page, Result, scenarios};
use serde_json::{Value, json};

scenarios! {
    in_chromium: [
        a_matrix_moves_to_its_toeplitz_part,
    ],
}

/// The pixels of the middle row of the matrix. Reading all of them in every frame would take longer than the movement.
const ROW: &str = "(canvas => canvas.getContext('2d').getImageData(0, canvas.height >> 1, canvas.width, 1).data.join())(document.querySelector('#position-matrix .picture'))";

/// Presses the button of a part, and returns [`ROW`] in the next frames without repetitions.
fn pictures_after(page: &Page, button: usize) -> Result<Vec<String>> {
    let pictures = page.eval_async(&format!(
        "new Promise(done => {{ const pictures = [], begin = Date.now();\
           document.querySelector(\"[aria-label='Part'] button:nth-child({button})\").click();\
           const look = () => {{ const picture = {ROW}; if (picture !== pictures.at(-1)) pictures.push(picture);\
             if (Date.now() - begin < 3000) requestAnimationFrame(look); else done(pictures); }}; look(); }})"
    ))?;
    Ok(serde_json::from_value(pictures)?)
}

fn a_matrix_moves_to_its_toeplitz_part(page: &Page) -> Result {
    page.open("?view=positions&model=minilm-l6")?;
    page.figure("position-table")?;
    page.figure("position-matrix")?;
    // A slower clock, so that a busy machine paints frames of the movement too.
    page.eval("(now => { performance.now = () => now() / 5; return true; })(performance.now.bind(performance))")?;
    let moved = pictures_after(page, 2)?;
    assert!(moved.len() > 2, "{} pictures", moved.len());
    // Without motion, the first and the last picture alone.
    let reduced = json!({ "features": [{ "name": "prefers-reduced-motion", "value": "reduce" }] });
    page.devtools("Emulation.setEmulatedMedia", reduced)?;
    let back = pictures_after(page, 1)?;
    let again = pictures_after(page, 2)?;
    page.devtools("Emulation.setEmulatedMedia", json!({ "features": [] }))?;
    assert_eq!((back.len(), again.len()), (2, 2));
    assert_eq!(
        moved.first(),
        back.last(),
        "another matrix after the way back"
    );
    assert_eq!(
        moved.last(),
        again.last(),
        "a movement ends at another picture"
    );
    // The link alone gives the same picture.
    let link = page.eval("location.search")?;
    page.open(link.as_str().unwrap_or_default())?;
    page.figure("position-table")?;
    page.figure("position-matrix")?;
    let same = format!("{ROW} === {}", json!(again.last()));
    assert_eq!(page.wait_until(&same)?, Value::Bool(true));
    Ok(())
}
