// Put before the worker's own code, by the tests' server only: what becomes of its helpers, and ways to lose them.
//
// The page asks by a channel: "count" for how many helpers there have been, how many there are and how many jobs they were
// sent; "lose" ends all that there are, and they say nothing; "lose next" ends one as soon as it is sent a job; "lose new"
// ends every one that is started before it listens, until "keep new".
(() => {
  const helpers = new Set(), heard = { started: 0, alive: 0, jobs: 0, lost: 0 };
  let loseNext = false, loseNew = false;
  Object.defineProperty(Object.getPrototypeOf(navigator), "hardwareConcurrency", { get: () => 3 });
  const lose = helper => { if (helpers.delete(helper)) { heard.lost += 1; helper.gone(); } };
  self.Worker = class extends Worker {
    constructor(...given) {
      super(...given);
      heard.started += 1;
      helpers.add(this);
      if (loseNew) setTimeout(() => { lose(this); this.dispatchEvent(new Event("error")); });
    }
    gone() { super.terminate(); }
    terminate() { helpers.delete(this); super.terminate(); }
    postMessage(...given) {
      super.postMessage(...given);
      heard.jobs += 1;
      if (loseNext) { loseNext = false; lose(this); }
    }
  };
  const channel = new BroadcastChannel("helpers");
  channel.onmessage = ({ data }) => {
    // Helpers are the same program, and hear of this, too.
    if (data === "lose") for (const helper of [...helpers]) lose(helper);
    if (data === "lose next") loseNext = true;
    if (data === "lose new" || data === "keep new") loseNew = data === "lose new";
    if (data === "count") channel.postMessage({ ...heard, alive: helpers.size });
  };
})();
