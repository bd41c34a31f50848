// What pages do beyond plain HTML. All of them work without it.

const seen = 'gatehouse.seen';

/** Messages that were closed in this tab. */
function closed() {
  return (sessionStorage.getItem(seen) ?? '').split(' ');
}

// Dialogs stand open in the page; here each becomes modal in its turn, and stays closed once it was closed.
const waiting = [...document.querySelectorAll('dialog[data-modal]')];
// Not `close()`: what listens for that is told later, when it is modal already.
for (const dialog of waiting) dialog.open = false;
function showNext() {
  const dialog = waiting.shift();
  if (dialog === undefined) return;
  if (closed().includes(dialog.id)) {
    showNext();
    return;
  }
  dialog.addEventListener('close', () => {
    sessionStorage.setItem(seen, [...closed(), dialog.id].join(' '));
    showNext();
  });
  dialog.showModal();
}
showNext();

// Time that is left, counted on from what the page says; when it is over, the page is loaded again.
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

/** As the server writes it (web/pages/time-left.ts). */
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
