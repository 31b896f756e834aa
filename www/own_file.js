// Loads the page's own files, in the page and in its workers: with patience, twice, and with a reason where one does not
// come. The build puts this text at the beginning of the script that starts each of them.
//
// A file that sends nothing for PATIENCE_MS is given up, as one is that is missing, cut off, or a web page. It is then
// asked for once more, past the browser's cache. After that the load fails with an Error whose `reason` is "silent",
// "web page" (what a network with a sign-in page answers) or "lost". The program reads the last reason in `failure`.
globalThis.ownFile = (() => {
  const PATIENCE_MS = 20_000;
  // `heard` is called at every sign of a file on its way.
  const own = { failure: null, heard: null, blob, program, script, failed, inTime, twice };

  // The error of a load.
  function failed(address, reason, cause) {
    return Object.assign(new Error(`${address} did not come (${reason})`, { cause }), { reason });
  }

  // A promise that fails where nothing comes of it in time.
  function inTime(address, promise) {
    let timer;
    const late = new Promise((_, fail) => { timer = setTimeout(() => fail(failed(address, "silent")), PATIENCE_MS); });
    return Promise.race([promise, late]).finally(() => clearTimeout(timer));
  }

  // Tries a load, and where it fails another one.
  async function twice(first, second) {
    try {
      return await first().catch(second);
    } catch (error) {
      own.failure = error.reason;
      throw error;
    }
  }

  // Asks for a file once and gives what `read` makes of the response. The patience begins anew with every piece.
  async function load(address, cache, read) {
    const abort = new AbortController();
    let timer, silent = false;
    const wait = () => {
      clearTimeout(timer);
      timer = setTimeout(() => { silent = true; abort.abort(); }, PATIENCE_MS);
    };
    wait();
    try {
      const response = await fetch(address, { signal: abort.signal, cache });
      const isWebPage = response.ok && /^text\/html/i.test(response.headers.get("content-type"));
      // 511: network authentication required (RFC 6585).
      if (isWebPage || response.status === 511) throw failed(address, "web page");
      if (!response.ok) throw failed(address, "lost", response.status);
      // The copy is read for its pieces alone: the browser compiles a program while it comes only from a response of its own.
      const copy = response.clone().body.getReader();
      const whole = (async () => {
        while (!(await copy.read()).done) {
          wait();
          own.heard?.();
        }
        clearTimeout(timer);
      })();
      return (await Promise.all([read(response), whole]))[0];
    } catch (error) {
      throw silent ? failed(address, "silent") : error.reason ? error : failed(address, "lost", error);
    } finally {
      abort.abort();
      clearTimeout(timer);
    }
  }

  const loadTwice = (address, read) => twice(() => load(address, "default", read), () => load(address, "reload", read));

  // A file as a Blob.
  function blob(address) {
    return loadTwice(address, response => response.blob());
  }

  // A WebAssembly.Module. Some hosts do not know the media type of WebAssembly.
  function program(address) {
    return loadTwice(address, async response => response.headers.get("content-type") === "application/wasm"
      ? WebAssembly.compileStreaming(response)
      : WebAssembly.compile(await response.arrayBuffer()));
  }

  // A script as a module. A failed import says no reason and is not tried again at the same address, so the file is
  // loaded, and then imported from another one.
  function script(address) {
    return twice(() => inTime(address, import(address)), async () => {
      await load(address, "reload", response => response.text());
      return inTime(address, import(`${address}?again`)).catch(error => {
        throw error.reason ? error : failed(address, "lost", error);
      });
    });
  }

  return own;
})();
