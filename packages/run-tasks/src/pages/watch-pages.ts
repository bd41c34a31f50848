import { shortened } from '@gatehouse/core/values';
import { ago, type Content, facts, html, instantText, type SafeHtml, section, table } from '@gatehouse/host';
import type { WatchedStack, WatchStore } from '../watch/watch-store.ts';
import type { WatchedChange } from '../watch/watched-stack.ts';
import { type Answering, idOf, reloading, runsPath, site, watchedPath, watchPath } from './page.ts';
import { isGood, statusText, tag, verdictTag } from './tag.ts';
import { accessList, gainedTitle, namesIn, verdictPanel } from './verdict.ts';

export type WatchedSource = Pick<WatchStore, 'read' | 'changes'>;

/** Milliseconds without a process that has the stack in its checkout: three looks at it, and some time. */
const listedMs = 3 * 60 * 1000;
/** Milliseconds over the time of a reading: the longest that one may take, and some time. */
const lateMs = 3 * 60 * 1000;
/** Findings that a page shows. */
const mostShown = 200;

/** The page of all watched stacks, the ones with problems first. */
export function watchPage(watched: WatchedSource): Answering {
  return async (visit) => {
    const stacks = await watched.read();
    return site.answer({
      visit,
      title: 'Watch',
      isWide: true,
      current: watchPath,
      head: reloading,
      lead: html`<div id="watch-lead" data-news><p>Drift of stacks, checked continuously.</p>${comparedWith(stacks)}</div>`,
      body: html`<div id="watch" data-news data-live="">${stackList(stacks)}</div>`,
    });
  };
}

/** The page of a stack: who gains, its findings, each with its time, and its history. */
export function watchedStackPage(watched: WatchedSource): Answering {
  return async (visit) => {
    const id = idOf(visit.request);
    const [stack] = await watched.read(id);
    if (stack === undefined) return undefined;
    const changes = await watched.changes(id);
    return site.answer({
      visit,
      title: stackName(stack),
      isWide: true,
      current: watchPath,
      head: reloading,
      lead: html`<div id="watched-lead" data-news>${stackFacts(stack)}</div>`,
      body: html`<div id="watched" data-news data-live="" class="work">
${accessPart(stack)}
${stack.problem !== undefined && html`<div class="notice alarm" role="status"><pre>${stack.problem}</pre></div>`}
${section('findings', 'Findings', findingList(stack))}
${section('history', 'History', history(changes))}
</div>`,
    });
  };
}

type Health = 'not watched' | 'not read yet' | 'late' | 'failed' | 'drift' | 'ok';

/** The look of each state, in the order of a list. Late findings rank above drift, because they may be out of date. */
const looks = {
  failed: 'error',
  late: 'error',
  drift: 'warning',
  'not read yet': 'info',
  ok: 'good',
  'not watched': 'none',
} as const satisfies Record<Health, string>;

function healthOf({ outcome, listedAt, nextAt, now }: WatchedStack): Health {
  if (now - listedAt > listedMs) return 'not watched';
  if (now - nextAt > lateMs) return 'late';
  return outcome ?? 'not read yet';
}

const healthTexts: Partial<Record<Health, string>> = {
  ok: 'no drift',
  'not watched': 'not watched any more',
};

function healthTag(health: Health): SafeHtml {
  return tag(healthTexts[health] ?? health, looks[health]);
}

/** Counts, or the code of an error; nothing if the state says it all. */
function summaryPart({ outcome, summary = '' }: Pick<WatchedStack, 'outcome' | 'summary'>): Content {
  if (outcome === undefined || outcome === 'ok') return undefined;
  return html`<br><span class="quiet">${statusText(summary)}</span>`;
}

function stackName({ id }: Pick<WatchedStack, 'id'>): string {
  return id.slice(id.indexOf('/') + 1);
}

/** The commits that stacks are compared with. There may be several, because processes may have different checkouts. */
function comparedWith(stacks: readonly WatchedStack[]): Content {
  const watched = stacks.filter((stack) => healthOf(stack) !== 'not watched');
  const byCommit = Map.groupBy(watched, (stack) => stack.comparedWith);
  byCommit.delete(undefined);
  const counts = [...byCommit].map(([text, compared]) => [text, compared.length] as const);
  if (counts.length === 0) return undefined;
  if (counts.length === 1) return html`<p>Compared with ${counts[0]?.[0]}.</p>`;
  return html`<p>Compared with ${counts.length} states of checkouts:</p>
<ul>${counts.map(([text, count]) => html`<li>${text} (${count})</li>`)}</ul>`;
}

function stackList(stacks: readonly WatchedStack[]): SafeHtml {
  if (stacks.length === 0) {
    return html`<p>No stack is watched. <code>gatehouse serve --watch</code> watches all of a checkout.</p>`;
  }
  const order = Object.keys(looks);
  const rank = (stack: WatchedStack) => order.indexOf(healthOf(stack));
  return table(
    ['Stack', 'State', 'Who gains', 'Worst finding', 'Since', 'Last review'],
    stacks
      .toSorted((a, b) => rank(a) - rank(b) || rankOfGains(a) - rankOfGains(b))
      .map((stack) => {
        const { id, sinceAt, seenAt, now } = stack;
        return [
          html`<a href="${watchedPath(id)}">${stackName(stack)}</a><br><span class="quiet">${id.slice(0, id.indexOf('/'))}</span>`,
          html`${healthTag(healthOf(stack))}${summaryPart(stack)}`,
          whoGains(stack),
          worstFinding(stack),
          html`${since(sinceAt, now)}<br><span class="quiet seen">seen ${since(seenAt, now)}</span>`,
          reviewLink(stack),
        ];
      }),
  );
}

/** Stacks where someone gains come first, then those where that is not known. */
function rankOfGains({ access }: WatchedStack): number {
  return access === undefined ? 3 : ['some', 'unknown', 'none'].indexOf(access.gains);
}

/** Names of the principals who gain, in a list; the page of the stack has all. */
const mostGaining = 2;

function whoGains({ access, outcome }: WatchedStack): Content {
  if (access === undefined)
    return outcome === 'drift' && html`<span class="quiet">nothing bears on access</span>`;
  const names = access.gains === 'some' ? namesIn(access.gained.slice(1)) : [];
  return html`${verdictTag({ ...access, gate: 'same' })}${
    names.length > 0 && html`<br><span class="quiet">${shortened(names, mostGaining)}</span>`
  }`;
}

/** The first line of the worst finding, without the sign of its kind. */
function worstFinding({ findings: [worst] }: WatchedStack): Content {
  return worst?.text.split('\n')[0]?.replace(/^\S {2}/, '');
}

/** What the last reading decided of access, and who gains. */
function accessPart({ access, outcome, seenAt }: WatchedStack): Content {
  if (access === undefined) return undefined;
  const [headline, ...lines] = access.gained;
  const look = isGood({ ...access, gate: 'same' }) ? 'good' : 'warning';
  const age = outcome === 'failed' && html`<p class="quiet">As of ${instant(seenAt)}.</p>`;
  return verdictPanel({
    look,
    headline,
    rest: html`${age}${lines.length > 0 && html`<h3>${gainedTitle(access.gains)}</h3>${accessList(lines)}`}`,
  });
}

function stackFacts(stack: WatchedStack): SafeHtml {
  const { id, sinceAt, readAt, seenAt, driftAt, listedAt } = stack;
  const health = healthOf(stack);
  const rows: [string, Content][] = [
    ['State', html`${healthTag(health)}${summaryPart(stack)}`],
    ['Not watched since', health === 'not watched' ? instant(listedAt) : undefined],
    ['Since', instant(sinceAt)],
    ['Last read', instant(readAt)],
    ['Last seen', seenAt === undefined ? 'never' : instant(seenAt)],
    ['Last drift', driftAt === undefined ? 'never' : instant(driftAt)],
    ['Last review', reviewLink(stack)],
    ['Compared with', stack.comparedWith],
    ['Stack', html`<span class="id">${id}</span>`],
  ];
  return facts(rows, 'inline');
}

function findingList({ findings, outcome, seenAt }: WatchedStack): Content {
  if (findings.length === 0) {
    const none = outcome === 'ok' ? 'The service holds what the stack declares.' : 'None are known.';
    return html`<p class="quiet">${none}</p>`;
  }
  const left = findings.length - mostShown;
  return html`${
    outcome === 'failed' &&
    html`<p>The last reading failed. ${seenAt === undefined ? 'Nothing was read before.' : 'What an earlier one found may still be there.'}</p>`
  }
<ul class="changes">${findings.slice(0, mostShown).map(findingItem)}</ul>
${left > 0 && html`<p class="quiet">${left} more are not shown: <code>gatehouse drift</code> lists them.</p>`}`;
}

function findingItem({ text, since, isHidden }: WatchedStack['findings'][number]): SafeHtml {
  const hidden = isHidden && '; may be hidden now, as not everything could be read';
  return html`<li><span class="quiet">since ${instant(since)}${hidden}</span><pre class="differences">${text}</pre></li>
`;
}

function history(changes: readonly WatchedChange[]): Content {
  if (changes.length === 0) return html`<p class="quiet">It was not read yet.</p>`;
  const part = (title: string, texts: readonly string[]) =>
    texts.length > 0 && html`<p class="quiet">${title}</p><pre class="differences">${texts.join('\n')}</pre>`;
  return table(
    ['At', 'State', 'What changed', 'Compared with'],
    changes.map(({ changedAt, outcome, summary, appeared, gone, comparedWith }) => [
      instant(changedAt),
      html`${healthTag(outcome)}${summaryPart({ outcome, summary })}`,
      html`${part('appeared', appeared)}${part('gone', gone)}`,
      html`<span class="quiet">${comparedWith}</span>`,
    ]),
  );
}

function reviewLink({ reviewId, reviewedAt, now }: WatchedStack): Content {
  if (reviewId === undefined) return html`<span class="quiet">none</span>`;
  return html`<a href="${runsPath}/${reviewId}">${since(reviewedAt, now)}</a>`;
}

function instant(milliseconds: number | undefined): Content {
  return milliseconds === undefined ? undefined : instantText(new Date(milliseconds).toISOString());
}

function since(at: number | undefined, now: number): Content {
  return at === undefined ? html`<span class="quiet">never</span>` : ago(at, now);
}
