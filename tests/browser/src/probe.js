// Loaded before the page's own code, by the tests' server only: records what a visitor would not see.
(() => {
  const probe = window.probe = { errors: [], downloads: [], copied: [] };
  const report = text => probe.errors.push(text);

  addEventListener("error", event => report(event.message ?? `could not load ${event.target.src ?? event.target.href}`), true);
  addEventListener("unhandledrejection", event => report(`unhandled rejection: ${event.reason}`));
  addEventListener("securitypolicyviolation", event => report(`against the policy: ${event.violatedDirective} ${event.blockedURI}`));
  const log = console.error;
  console.error = (...words) => { report(words.join(" ")); log.apply(console, words); };
  window.Worker = class extends Worker {
    constructor(...given) {
      super(...given);
      this.addEventListener("error", event => report(`worker: ${event.message}`));
    }
  };

  // Files the page hands to the visitor, read instead of saved: the same in every engine.
  const blobs = new Map();
  const create = URL.createObjectURL;
  URL.createObjectURL = blob => {
    const url = create.call(URL, blob);
    blobs.set(url, blob);
    return url;
  };
  const keep = link => {
    const blob = blobs.get(link.href);
    const reader = new FileReader();
    reader.onload = () => probe.downloads.push({ name: link.download, type: blob.type, base64: reader.result.split(",")[1] });
    reader.readAsDataURL(blob);
  };
  const click = HTMLAnchorElement.prototype.click;
  HTMLAnchorElement.prototype.click = function () {
    if (this.download && blobs.has(this.href)) keep(this); else click.call(this);
  };
  addEventListener("click", event => {
    const link = event.target.closest?.("a[download]");
    if (link && blobs.has(link.href)) { event.preventDefault(); keep(link); }
  }, true);

  // The clipboard needs a permission that a browser without a window does not give.
  if (navigator.clipboard) navigator.clipboard.writeText = async text => { probe.copied.push(text); };
})();
