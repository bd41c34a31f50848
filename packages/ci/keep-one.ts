/** A comment, or an issue, at a code host. */
export interface Post {
  /** Grows with each post. */
  id: number;
  body: string;
  /** Written by the account of our token. */
  isOurs: boolean;
}

/** The comments of a pull request, or the open issues of a repository. */
export interface Posts {
  /** All posts, from every page. */
  list(): Promise<Post[]>;
  create(body: string): Promise<void>;
  update(id: number, body: string): Promise<void>;
  /** Deletes a comment, or closes an issue and says why. A post that no longer exists counts as removed. */
  remove(id: number, why: string): Promise<void>;
}

/** The subject of a post, and the run of a pipeline that writes it. */
export interface Mark {
  check: string;
  /** The stack; without one, the plan. */
  name: string;
  /** Grows with each run. */
  run: number;
  /** Counts the attempts of a run from 1. */
  attempt: number;
}

const marks = /^<!-- gatehouse (\w+) of (\S+), run (\d+)\.(\d+) -->/;

/** The first line of a post: a comment that readers do not see. */
function markText({ check, name, run, attempt }: Mark): string {
  return `<!-- gatehouse ${check} of ${plainName(name)}, run ${run}.${attempt} -->`;
}

function plainName(name: string): string {
  return name.replace(/[^\w.-]/g, '-');
}

/**
 * Leaves exactly one post of ours about a subject, with this text, even if several jobs write at the same time: the oldest
 * post stays. A text of a later run is kept. Posts of other accounts are never changed.
 */
export async function keepOne(
  posts: Posts,
  mark: Mark,
  markdown: string,
): Promise<'made' | 'updated' | 'left to a later run'> {
  const body = `${markText(mark)}\n${markdown}`;
  const isMade = (await ownPosts(posts, mark)).length === 0;
  if (isMade) await posts.create(body);
  const [first, ...doubles] = await ownPosts(posts, mark);
  for (const { id } of doubles) await posts.remove(id, 'Another one says the same.');
  if (first === undefined || first.body === body) return isMade ? 'made' : 'updated';
  if (isLater(first.mark, mark)) return 'left to a later run';
  await posts.update(first.id, body);
  return 'updated';
}

/** Removes our posts about a subject, except those of a later run. @returns how many were removed */
export async function keepNone(posts: Posts, mark: Mark): Promise<number> {
  const own = (await ownPosts(posts, mark)).filter((post) => !isLater(post.mark, mark));
  for (const { id } of own) await posts.remove(id, 'Over.');
  return own.length;
}

/** Keeps one open issue while a check finds something, and closes it once it finds nothing. @returns what was done */
export async function keepIssue(issues: Posts, mark: Mark, code: number, markdown: string): Promise<string> {
  // A failed check knows nothing new, so the earlier findings stay.
  if (code === 1 && (await ownPosts(issues, mark)).length > 0) return 'Issue: left as it is.';
  if (code !== 0) return `Issue: ${await keepOne(issues, mark, markdown)}.`;
  return `No drift. Issues closed: ${await keepNone(issues, mark)}.`;
}

async function ownPosts(posts: Posts, { check, name }: Mark): Promise<(Post & { mark: Mark })[]> {
  const listed = await posts.list();
  return listed
    .filter(({ isOurs }) => isOurs)
    .flatMap((post) => {
      const mark = markIn(post.body);
      return mark?.check === check && mark.name === plainName(name) ? [{ ...post, mark }] : [];
    })
    .sort((a, b) => a.id - b.id);
}

function markIn(body: string): Mark | undefined {
  const [, check, name, run, attempt] = marks.exec(body) ?? [];
  if (check === undefined || name === undefined) return undefined;
  return { check, name, run: Number(run), attempt: Number(attempt) };
}

function isLater(mark: Mark, other: Mark): boolean {
  return mark.run > other.run || (mark.run === other.run && mark.attempt > other.attempt);
}
