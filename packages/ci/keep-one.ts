/** A comment, or an issue, at a code host. */
export interface Post {
  /** Later posts have greater ones. */
  id: number;
  body: string;
  /** Written by the account of our token. */
  isOurs: boolean;
}

/** The comments of a pull request, or the open issues of a repository. */
export interface Posts {
  /** All of them, of every page. */
  list(): Promise<Post[]>;
  create(body: string): Promise<void>;
  update(id: number, body: string): Promise<void>;
  /** Deletes a comment, closes an issue and says why. One that is gone already is as well. */
  remove(id: number, why: string): Promise<void>;
}

/** What a post is about, and which run of a pipeline writes it. */
export interface Mark {
  check: string;
  /** The stack, or what stands for it. */
  name: string;
  /** Later runs have greater ones. */
  run: number;
  /** Counts the tries of a run from 1. */
  attempt: number;
}

const marks = /^<!-- gatehouse (\w+) of (\S+), run (\d+)\.(\d+) -->/;

/** The first line of a post, which no one sees. */
function markText({ check, name, run, attempt }: Mark): string {
  return `<!-- gatehouse ${check} of ${plainName(name)}, run ${run}.${attempt} -->`;
}

function plainName(name: string): string {
  return name.replace(/[^\w.-]/g, '-');
}

/**
 * Has exactly one post of ours about something, with this text, however many jobs do so at once: the oldest stays. What a
 * later run wrote stays as well. The post of someone else is never touched, whatever stands in it.
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

/** Has no post of ours about something, but for one that a later run wrote. Says how many went. */
export async function keepNone(posts: Posts, mark: Mark): Promise<number> {
  const own = (await ownPosts(posts, mark)).filter((post) => !isLater(post.mark, mark));
  for (const { id } of own) await posts.remove(id, 'Over.');
  return own.length;
}

/** Has one open issue while a check finds something, and none once it finds nothing. Says what was done. */
export async function keepIssue(issues: Posts, mark: Mark, code: number, markdown: string): Promise<string> {
  // What was found before is still the best that is known.
  if (code === 1 && (await ownPosts(issues, mark)).length > 0) return 'Issue: left as it is.';
  if (code !== 0) return `Issue: ${await keepOne(issues, mark, markdown)}.`;
  return `No drift. Issues closed: ${await keepNone(issues, mark)}.`;
}

async function ownPosts(posts: Posts, { check, name }: Mark): Promise<(Post & { mark: Mark })[]> {
  const listed = await posts.list();
  return listed
    .filter(({ isOurs }) => isOurs)
    .flatMap((post) => {
      const found = markIn(post.body);
      return found?.check === check && found.name === plainName(name) ? [{ ...post, mark: found }] : [];
    })
    .sort((one, other) => one.id - other.id);
}

function markIn(body: string): Mark | undefined {
  const [, check, name, run, attempt] = marks.exec(body) ?? [];
  if (check === undefined || name === undefined) return undefined;
  return { check, name, run: Number(run), attempt: Number(attempt) };
}

function isLater(one: Mark, other: Mark): boolean {
  return one.run > other.run || (one.run === other.run && one.attempt > other.attempt);
}
