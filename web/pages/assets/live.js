// Pages that show work in progress. What says `data-live` is looked at again when its server says so, or every five
// seconds where it names no place for news; what changed takes its place, part by part (`data-news`), and
// what was open stays open.

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

/** What people did to the part that goes: what they opened, and where they are. */
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
  // Not when the connection is lost, but when it is refused: who is signed out gets to see that.
  events.addEventListener('error', () => {
    if (events.readyState === EventSource.CLOSED) refresh().catch(() => {});
  });
  let latest = Promise.resolve();
  let isWaiting = false;
  events.addEventListener('run', () => {
    // However many come while one is fetched: one more look shows them all.
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
