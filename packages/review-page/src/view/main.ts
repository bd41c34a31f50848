import type { WhoCanWords } from '@gatehouse/core/review';
import type { KnownFile, PageProblem, ShownReview, WorkerAnswer } from '../messages.ts';
import { copyText } from './copy.ts';
import { byId, element, fill, prose } from './element.ts';
import { headlineOf, mark, ReviewView } from './review-view.ts';
import { WorkerClient } from './worker-client.ts';

const worker = new WorkerClient(byId('worker', HTMLScriptElement).textContent ?? '', (rows) =>
  shown?.view.addRows(rows),
);
const chosen = byId('file', HTMLInputElement);
const status = byId('status', HTMLElement);
const problems = byId('problems', HTMLElement);
const reviewed = byId('review', HTMLElement);
const asking = byId('who-can', HTMLElement);
const answered = byId('who-can-answer', HTMLElement);
const searched = byId('search', HTMLInputElement);
const keyPart = byId('key-part', HTMLElement);
const key = byId('key', HTMLInputElement);

/** What was dropped, the newest last. */
let files: File[] = [];
/** A question is under way: the next one waits for its answer. */
let isAsking = false;
let shown: { view: ReviewView; markdown: string } | undefined;

function add(more: Iterable<File>): void {
  const added = [...more];
  if (added.length === 0) return;
  void show([...files, ...added]);
}

/** Reviews files. One that cannot be read is not kept, and what was shown before goes. */
async function show(next: readonly File[]): Promise<void> {
  forget();
  document.body.classList.add('busy');
  fill(status, next.length === 0 ? '' : `Reading ${next.map(({ name }) => name).join(', ')} …`);
  const answer = await worker.ask({ kind: 'review', files: next, key: key.value.trim() });
  document.body.classList.remove('busy');
  fill(status);
  if (answer.kind === 'problem') {
    const { name } = answer.problem;
    files = next.filter((file) => file.name !== name);
    tell(answer.problem, files.length > 0 && files.length < next.length);
    listFiles(files.map((file) => ({ name: file.name, about: '' })));
    return;
  }
  if (answer.kind !== 'review') return;
  // A second plan takes the place of the first.
  const lastPlan = answer.files.findLastIndex(({ is }) => is === 'plan');
  const kept = (at: number) => answer.files[at]?.is !== 'plan' || at === lastPlan;
  files = next.filter((_, at) => kept(at));
  listFiles(answer.files.filter((_, at) => kept(at)));
  keyPart.hidden = !answer.files.some(({ isHashed }) => isHashed);
  if (keyPart.hidden) key.value = '';
  if (files.length > 0) showAnswer(answer);
}

function forget(): void {
  fill(problems);
  fill(answered);
  shown = undefined;
  isAsking = false;
  reviewed.hidden = true;
  asking.hidden = true;
}

function tell({ name, text, fix }: PageProblem, hasOthers: boolean): void {
  const about = name === undefined ? undefined : [element('strong', {}, name), ': '];
  const without = element('button', { type: 'button', class: 'plain' }, 'Continue without it');
  without.addEventListener('click', () => void show(files));
  const words = element('div', {}, [
    element('p', {}, [about, prose(text)]),
    fix === '' ? undefined : element('p', { class: 'fix' }, prose(fix)),
    hasOthers ? without : undefined,
  ]);
  fill(problems, element('div', { class: 'finding' }, [mark('✗'), words]));
}

function listFiles(known: readonly Pick<KnownFile, 'name' | 'about'>[]): void {
  document.body.classList.toggle('has-files', known.length > 0);
  fill(byId('files', HTMLElement), known.map(fileItem));
}

function fileItem({ name, about }: Pick<KnownFile, 'name' | 'about'>, at: number): HTMLElement {
  const button = element(
    'button',
    { type: 'button', class: 'plain', 'aria-label': `Remove ${name}` },
    'Remove',
  );
  button.addEventListener('click', () => {
    chosen.focus();
    void show(files.filter((_, index) => index !== at));
  });
  return element('li', {}, [
    element('span', { class: 'name' }, name),
    element('span', { class: 'about' }, about),
    button,
  ]);
}

function showAnswer({ files: known, review }: Extract<WorkerAnswer, { kind: 'review' }>): void {
  asking.hidden = known.every(({ is }) => is === 'policy');
  if (review !== undefined) showReview(review);
  else if (asking.hidden) fill(status, 'Add a plan, or a snapshot.');
  else fill(status, 'Ask who can do something, or add a plan, or an older snapshot to compare with.');
}

function showReview(review: ShownReview): void {
  const view = new ReviewView(review);
  shown = { view, markdown: review.markdown };
  fill(byId('headline', HTMLElement), headlineOf(review.headline));
  fill(byId('report', HTMLElement), view.parts);
  searched.value = '';
  search();
  reviewed.hidden = false;
  byId('headline', HTMLElement).focus();
}

function search(): void {
  fill(byId('found', HTMLElement), shown?.view.search(searched.value) ?? '');
}

async function copy(): Promise<void> {
  const isCopied = shown !== undefined && (await copyText(shown.markdown));
  fill(byId('copied', HTMLElement), isCopied ? 'Copied.' : 'The browser does not allow it.');
}

async function ask(): Promise<void> {
  if (isAsking) return;
  isAsking = true;
  const capability = byId('capability', HTMLSelectElement).value;
  const path = byId('path', HTMLInputElement).value;
  fill(answered, 'Asking …');
  const answer = await worker.ask({ kind: 'who-can', capability, path });
  isAsking = false;
  if (answer.kind === 'problem') {
    const { text, fix } = answer.problem;
    fill(answered, element('p', { class: 'error' }, `${text} ${fix}`));
  }
  if (answer.kind !== 'who-can') return;
  const { words } = answer;
  fill(answered, [
    element('p', {}, [element('strong', {}, words.answer), ` ${words.question}`]),
    element('ul', { class: 'findings' }, words.rows.map(answerRow)),
  ]);
}

function answerRow({ mark: sign, text, details }: WhoCanWords['rows'][number]): HTMLElement {
  return element('li', {}, [
    sign === '' ? undefined : mark(sign),
    element('div', {}, [text, details.map((detail) => element('span', { class: 'detail' }, detail))]),
  ]);
}

function onEnter(field: HTMLInputElement, act: () => void): void {
  field.addEventListener('keydown', ({ key: pressed }) => {
    if (pressed === 'Enter') act();
  });
}

function listenForDrops(): void {
  addEventListener('dragover', (event) => {
    event.preventDefault();
    document.body.classList.add('dragged');
  });
  addEventListener('dragleave', ({ relatedTarget }) => {
    if (relatedTarget === null) document.body.classList.remove('dragged');
  });
  addEventListener('drop', (event) => {
    event.preventDefault();
    document.body.classList.remove('dragged');
    add(event.dataTransfer?.files ?? []);
  });
}

listenForDrops();
chosen.addEventListener('change', () => {
  add(chosen.files ?? []);
  // The same file can be chosen again, once it has changed.
  chosen.value = '';
});
byId('sample', HTMLButtonElement).addEventListener('click', () => {
  const text = byId('sample-plan', HTMLScriptElement).textContent ?? '';
  void show([new File([text], 'sample-plan.json', { type: 'application/json' })]);
});
const useKey = () => void show(files);
byId('use-key', HTMLButtonElement).addEventListener('click', useKey);
onEnter(key, useKey);
byId('copy', HTMLButtonElement).addEventListener('click', () => void copy());
let waiting: ReturnType<typeof setTimeout> | undefined;
searched.addEventListener('input', () => {
  // Among many rows, not at each key.
  clearTimeout(waiting);
  waiting = setTimeout(search, 120);
});
// No form: a sandboxed page may not submit one, and would hear nothing of it.
byId('ask', HTMLButtonElement).addEventListener('click', () => void ask());
onEnter(byId('path', HTMLInputElement), () => void ask());
document.body.classList.add('ready');
