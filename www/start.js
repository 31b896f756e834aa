// Starts the page: loads its program, its script and its style sheets at once, and says so where one of them does not
// come. This script is part of index.html, since it must be there when nothing else is.
(async () => {
  const FOLDER = new URL("./page-HASH/", document.baseURI);
  const SENTENCES = {
    "lost": "A part of this page could not be fetched. Load the page again when the connection is back.",
    "silent": "A part of this page did not come: the server sent nothing for 20 seconds, twice. Load the page again when the connection is better.",
    "web page": "The network answered with a web page instead of a part of Diagonal. Are you behind a sign-in page? If so, sign in there first; then load this page again.",
  };
  const OLD_BROWSER = "Diagonal could not start. It needs WebAssembly with SIMD, which Chrome and Firefox have had since 2021 and Safari since 16.4. If your browser is newer, load the page again.";

  const parsed = new Promise(done => {
    if (document.readyState !== "loading") done();
    document.addEventListener("DOMContentLoaded", done);
  });
  // A module with one vector, as of wasm-feature-detect.
  const VECTOR = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11];
  const hasVectors = () => !!globalThis.WebAssembly?.validate(new Uint8Array(VECTOR));
  const say = async (error, heading = "The page has not loaded") => {
    await parsed;
    document.querySelector("#no-start h2").textContent = heading;
    document.getElementById("no-start-reason").textContent = hasVectors() && SENTENCES[error.reason] || OLD_BROWSER;
    document.getElementById("load-again").onclick = () => location.reload();
    document.getElementById("no-start").hidden = false;
  };

  // Waits for the style sheet of a <link>, and puts another <link> in its place where it does not come.
  const missing = new WeakSet();
  addEventListener("error", event => missing.add(event.target), true);
  const styled = link => ownFile.inTime(link.href, new Promise((done, fail) => {
    const lost = () => fail(ownFile.failed(link.href, "lost"));
    // A web page in place of a sheet is a sheet without rules. In Firefox a sheet that is on its way is there, but
    // unreadable.
    const look = () => {
      try {
        const rules = link.sheet?.cssRules;
        if (rules) (rules.length ? done : lost)();
      } catch {}
    };
    link.onload = look;
    link.onerror = lost;
    // A file that has come or failed already sends no event any more.
    if (missing.has(link)) lost();
    look();
  }));
  const style = link => ownFile.twice(() => styled(link), () => {
    const again = link.cloneNode();
    again.href += "?again";
    link.replaceWith(again);
    return styled(again);
  });
  // The later sheet is fetched once the document is there, and the page begins when all sheets have come or failed.
  // Without a sheet the page is ugly, but it works.
  const styles = parsed.then(() => {
    document.getElementById("later-style").rel = "stylesheet";
    return Promise.all([...document.querySelectorAll("link[rel=stylesheet]")].map(style));
  }).catch(error => say(error, "A style sheet has not loaded"));

  try {
    const [{ default: init }, program] = await Promise.all([
      ownFile.script(new URL("page.js", FOLDER).href),
      ownFile.program(new URL("page_bg.wasm", FOLDER).href),
    ]);
    await styles;
    await init({ module_or_path: program });
  } catch (error) {
    await parsed;
    // A program that has broken down says so itself.
    if (document.getElementById("stopped").hidden) await say(error);
    throw error;
  }
})();
