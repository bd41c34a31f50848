import { type Claims, type Person, people, pick, type Random, type Resources, type World } from './world.ts';

/** All people whom the providers of a world could vouch for: all names, claims and groups that roles and groups tell apart. */
export function anyoneIn({ resources }: World): Person[] {
  const mounts = [...resources].flatMap(([key, one]) =>
    one.kind === 'mount' && one.type === 'jwt' && !one.trustsService ? [key] : [],
  );
  const claims = [undefined, 'x', 'y'].flatMap((org) =>
    [[], ['g'], ['h'], ['g', 'h']].map((groups): Claims => ({ ...(org && { org }), groups })),
  );
  return people.flatMap((name) =>
    claims.map((of, at) => ({
      label: `${name} of any ${at}`,
      name,
      claims: Object.fromEntries(mounts.map((mount) => [mount, of])),
    })),
  );
}

/** People at random, and some for whom the bounds of roles hold, as they are on either side. */
export function peopleOf(next: Random, sides: readonly Resources[]): Person[] {
  const all = sides.flatMap((side) => [...side]);
  const mounts = new Map(
    all.flatMap(([key, one]) =>
      one.kind === 'mount' && one.type === 'jwt' && !one.trustsService ? [[key, one]] : [],
    ),
  );
  const trusting = new Set(
    all.flatMap(([key, one]) => (one.kind === 'mount' && one.trustsSecond ? key : [])),
  );
  const roles = all.flatMap(([, one]) => (one.kind === 'role' && mounts.has(one.mount) ? [one] : []));
  const groups = () => ['g', 'h'].filter(() => next(3) > 0);
  const claimsAt = (mount: string, org: string | undefined): Claims => ({
    ...(org && { org }),
    groups: groups(),
    ...(trusting.has(mount) && next(2) === 0 && { isSecond: true }),
  });
  const personOf = (name: string, orgAt: (mount: string) => string | undefined) => ({
    name,
    claims: Object.fromEntries([...mounts.keys()].map((mount) => [mount, claimsAt(mount, orgAt(mount))])),
  });
  const random = people.map((name) => personOf(name, () => pick(next, undefined, 'x', 'y')));
  const fitting = roles.map(({ mount: at, subject, org }) => {
    const orgAt = (mount: string) =>
      mount === at
        ? org
        : pick(next, undefined, ...roles.flatMap((one) => (one.mount === mount ? one.org : [])));
    return personOf(subject ?? pick(next, ...people), orgAt);
  });
  const different = new Map([...random, ...fitting].map((one) => [JSON.stringify(one), one]));
  return [...different.values()].map((one, at) => ({ label: `${one.name}${at}`, ...one }));
}
