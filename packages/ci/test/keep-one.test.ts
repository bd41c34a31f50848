import { describe, expect, test } from '@jest/globals';
import { keepNone, keepOne, type Mark, type Post, type Posts } from '../keep-one.ts';

/** Posts in memory; `author` is whose token it is. */
function postsOf(all: (Post & { author: string })[], author: string): Posts {
  return {
    list: async () => all.map((post) => ({ ...post, isOurs: post.author === author })),
    async create(body) {
      all.push({ id: all.length + 1, body, author, isOurs: true });
    },
    async update(id, body) {
      for (const post of all) if (post.id === id) post.body = body;
    },
    async remove(id) {
      const at = all.findIndex((post) => post.id === id);
      if (at >= 0) all.splice(at, 1);
    },
  };
}

const mark = (run: number, attempt = 1): Mark => ({ check: 'review', name: 'dev', run, attempt });

describe('one post of ours', () => {
  test('is made once, and updated by the next run', async () => {
    const all: (Post & { author: string })[] = [];
    const posts = postsOf(all, 'bot');
    expect(await keepOne(posts, mark(1), 'one')).toBe('made');
    expect(await keepOne(posts, mark(2), 'two')).toBe('updated');
    expect(all.map(({ body }) => body)).toEqual(['<!-- gatehouse review of dev, run 2.1 -->\ntwo']);
  });

  test('keeps what a later run wrote, also where an earlier one is tried again', async () => {
    const all: (Post & { author: string })[] = [];
    const posts = postsOf(all, 'bot');
    await keepOne(posts, mark(10), 'new');
    expect(await keepOne(posts, mark(9, 2), 'old')).toBe('left to a later run');
    expect(all[0]?.body).toContain('new');
  });

  test('is not that of someone else who copied its first line', async () => {
    const all = [
      { id: 1, body: '<!-- gatehouse review of dev, run 1.1 -->\nmine', author: 'eve', isOurs: false },
    ];
    await keepOne(postsOf(all, 'bot'), mark(2), 'ours');
    expect(all.map(({ author }) => author)).toEqual(['eve', 'bot']);
    expect(all[0]?.body).toContain('mine');
    expect(await keepNone(postsOf(all, 'bot'), mark(3))).toBe(1);
    expect(all.map(({ author }) => author)).toEqual(['eve']);
  });

  test('is one for each stack and check', async () => {
    const all: (Post & { author: string })[] = [];
    const posts = postsOf(all, 'bot');
    await keepOne(posts, mark(1), 'dev');
    await keepOne(posts, { ...mark(1), name: 'production' }, 'production');
    await keepOne(posts, { ...mark(1), check: 'drift' }, 'drift');
    expect(all).toHaveLength(3);
  });

  test('does not begin in the middle of a text: a mark that is quoted is none', async () => {
    const all = [{ id: 1, body: '> <!-- gatehouse review of dev, run 1.1 -->', author: 'bot', isOurs: true }];
    await keepOne(postsOf(all, 'bot'), mark(2), 'ours');
    expect(all).toHaveLength(2);
  });
});
