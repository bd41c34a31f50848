// Every page works without this script.

const seen = 'gatehouse.seen';

/** Ids of messages that were closed in this tab. */
function closed() {
  return (sessionStorage.getItem(seen) ?? '').split(' ');
}

function remember({ id }) {
  if (!closed().includes(id)) sessionStorage.setItem(seen, [...closed(), id].join(' '));
}

// The page's open dialogs become modal one after the other, unless they were closed before.
const waiting = [...document.querySelectorAll('dialog[data-modal]')];
// Not `close()`: its event would arrive when the dialog is modal already.
for (const dialog of waiting) dialog.open = false;
let shown;
function showNext() {
  shown = waiting.shift();
  if (shown === undefined) return;
  if (closed().includes(shown.id)) {
    showNext();
    return;
  }
  shown.addEventListener('close', () => {
    remember(shown);
    showNext();
  });
  shown.showModal();
}
showNext();
// The event of a dialog that closes comes later, and not at all if people leave the page first.
addEventListener('pagehide', () => {
  if (shown?.open === false) remember(shown);
});

// Counts down the time left, then reloads the page.
for (const place of document.querySelectorAll('[data-seconds-left]')) {
  const end = performance.now() + Number(place.dataset.secondsLeft) * 1000;
  const tick = () => {
    const left = Math.max(0, Math.ceil((end - performance.now()) / 1000));
    place.textContent = inWords(left);
    if (left === 0) location.reload();
    else setTimeout(tick, left > 3600 ? 30_000 : 1000);
  };
  tick();
}

/** Like `timeLeft` in packages/host/src/pages/content.ts. */
function inWords(seconds) {
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ];
  const first = parts.findIndex(([count]) => count > 0);
  if (first === -1) return '0 s';
  return parts
    .slice(first, first + 2)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}

/** The name of a provider, its product and its path. */
function textOf(item) {
  return ['.method-name', '.method-path'].map((part) => item.querySelector(part)?.textContent).join(' ');
}

// Narrows the list of providers to what a person types. Without this script, the form's button does.
for (const search of document.querySelectorAll('input[data-narrows]')) {
  const list = document.getElementById(search.dataset.narrows);
  const none = document.getElementById(`${search.dataset.narrows}-none`);
  search.addEventListener('input', () => {
    const wanted = search.value.trim().toLowerCase();
    for (const item of list.children) {
      item.hidden = !textOf(item).toLowerCase().includes(wanted);
    }
    none.hidden = [...list.children].some((item) => !item.hidden);
  });
}
