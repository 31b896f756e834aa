// Faults of the texts that are shown: an array of sentences. The value of this expression.
(() => {
  const faults = [];
  const shown = element => element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const style = element => getComputedStyle(element);
  const isForReaders = element => {
    for (let at = element; at; at = at.parentElement) if (style(at).clipPath !== 'none') return true;
    return false;
  };
  const words = text => text.trim().replace(/\s+/g, ' ').slice(0, 40);
  const texts = [];
  const add = (element, text, rects) => {
    for (const rect of rects) if (rect.width > 1 && rect.height > 1) texts.push({ element, text: words(text), rect });
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || !element || element.closest('math, script, style, noscript, option, svg, textarea')) continue;
    // Where a fold has space for its mark alone, its word is cut off on purpose.
    const isMark = element.tagName === 'SUMMARY' && style(element).overflowX === 'hidden';
    if (!shown(element) || isForReaders(element) || isMark) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    add(element, node.data, range.getClientRects());
  }
  for (const math of document.querySelectorAll('math')) {
    if (shown(math) && !isForReaders(math)) add(math, 'formula ' + math.textContent, [math.getBoundingClientRect()]);
  }
  // The nearest element around a text that does not show all of it, and how.
  for (const { element, text, rect } of texts) {
    let scrolls = false, ends = false;
    for (let at = element; at && at !== document.documentElement; at = at.parentElement) {
      const { overflowX, overflowY, textOverflow, webkitLineClamp, display, position } = style(at);
      if (display === 'inline') continue;
      const box = at.getBoundingClientRect();
      if (textOverflow === 'ellipsis' || webkitLineClamp !== 'none') ends = true;
      if (overflowX === 'auto' || overflowX === 'scroll') scrolls = scrolls || at.scrollWidth > at.clientWidth;
      else if (overflowX !== 'visible' && !scrolls && !ends && (rect.left < box.left - 1.5 || rect.right > box.right + 1.5))
        faults.push(`“${text}” is cut off by ${at.tagName}.${at.className}`);
      if (at.tagName === 'FIGURE' && !scrolls && !ends && (rect.left < box.left - 8 || rect.right > box.right + 8))
        faults.push(`“${text}” leaves its figure ${at.id || at.className}`);
      if (position === 'fixed') break;
    }
    if (!scrolls && !ends && (rect.left < -1 || rect.right > innerWidth + 1))
      faults.push(`“${text}” leaves the window: ${rect.left.toFixed()} to ${rect.right.toFixed()} of ${innerWidth}`);
  }
  const common = (a, b) => [
    Math.min(a.right, b.right) - Math.max(a.left, b.left), Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top),
  ];
  // Lines of a text may touch; they cover each other where they have more than a part of a letter in common.
  const covers = (a, b) => { const [across, down] = common(a, b); return across > 2 && down > 4; };
  const isOver = element => { for (let at = element; at; at = at.parentElement) if (['sticky', 'fixed'].includes(style(at).position)) return at; return null; };
  const controls = [...document.querySelectorAll('button, select, summary, input:not([type=file])')]
    .filter(control => shown(control) && !control.closest('.head-buttons, .open-file'))
    .map(element => ({ element, text: 'the control ' + words(element.textContent || element.id || element.type), rect: element.getBoundingClientRect() }));
  const all = [...texts, ...controls];
  for (let a = 0; a < texts.length; a += 1) {
    for (let b = a + 1; b < all.length; b += 1) {
      const [one, other] = [texts[a], all[b]];
      if (!covers(one.rect, other.rect)) continue;
      if (one.element.contains(other.element) || other.element.contains(one.element)) continue;
      // A sticky element lies over content that scrolls.
      if (isOver(one.element) !== isOver(other.element)) continue;
      faults.push(`“${one.text}” and ${other.text} cover each other`);
    }
  }
  return [...new Set(faults)].slice(0, 12);
})()
