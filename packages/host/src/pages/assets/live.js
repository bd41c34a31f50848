// Pages that show work in progress. A page with `data-live` is fetched again at each event of that address, or every
// five seconds if it is empty. Changed parts (`data-news`) are replaced; what was open stays open.

const refreshEveryMs = 5000;

function live() {
  return document.querySelector('[data-live]');
}

async function refresh() {
  const response = await fetch(location.href);
  if (!response.ok || response.redirected) {
    location.reload();
    return;
  }
  const next = new DOMParser().parseFromString(await response.text(), 'text/html');
  for (const before of document.querySelectorAll('[data-news]')) {
    const after = next.getElementById(before.id);
    if (after === null || before.isEqualNode(after)) continue;
    keepAsIs(before, after);
    before.replaceWith(after);
  }
}

/** Keeps opened details and the focus of a replaced part. */
function keepAsIs(before, after) {
  for (const one of before.querySelectorAll('details[id][open]')) {
    after.querySelector(`#${CSS.escape(one.id)}`)?.setAttribute('open', '');
  }
  const focused = document.activeElement?.closest('[id]')?.id;
  if (!focused || !before.contains(document.activeElement)) return;
  queueMicrotask(() => {
    const there = document.getElementById(focused);
    (there?.matches('a, button, select, input')
      ? there
      : there?.querySelector('summary, a, button')
    )?.focus();
  });
}

function watch() {
  const news = live()?.dataset.live;
  if (news === undefined) return;
  if (news === '') {
    setInterval(() => document.hidden || refresh().catch(() => {}), refreshEveryMs);
    return;
  }
  const events = new EventSource(news);
  // Refused, not just lost: refreshing shows that the person is signed out.
  events.addEventListener('error', () => {
    if (events.readyState === EventSource.CLOSED) refresh().catch(() => {});
  });
  let latest = Promise.resolve();
  let isWaiting = false;
  events.addEventListener('run', () => {
    // One more fetch covers all events that arrive during a fetch.
    if (isWaiting) return;
    isWaiting = true;
    latest = latest
      .then(() => {
        isWaiting = false;
        return refresh();
      })
      .catch(() => {})
      .then(() => {
        if (live() === null) events.close();
      });
  });
}
watch();
