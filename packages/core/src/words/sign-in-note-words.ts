import type { SignInNote } from '../access/questions/explain-sign-in.ts';
import { partName } from '../graph/values/visible.ts';

type NoteOf<Kind extends SignInNote['kind']> = Extract<SignInNote, { kind: Kind }>;

/** What an explanation of a sign-in takes for granted, in sentences. */
export function signInNoteWords(note: SignInNote): string {
  const say = words[note.kind] as (given: SignInNote) => string;
  return say(note);
}

const words: { [Kind in SignInNote['kind']]: (note: NoteOf<Kind>) => string } = {
  'unread-token': ({ why }) => why,
  'claims-added': ({ claims }) =>
    `The claims lack ${claims.join(', ')}: taken as in a token that the provider issues now.`,
  'entity-disabled': ({ name }) => `The ${partName('entity', name)} is disabled: no one signs in as it.`,
  'metadata-of-new': () =>
    'Who signed in before by this name still signs in: the service checks the metadata of a new alias alone.',
  'other-form': ({ product, bound, presented, id }) =>
    [
      `${product} writes subjects in two forms: the role binds \`${bound}\`, and the token has \`${presented}\`.`,
      'For a migration, bind both in boundClaims.sub instead of boundSubject.',
      ...(id === undefined
        ? []
        : [`Or bind claim ${id.claim} ${JSON.stringify(id.value)}, which both have.`]),
    ].join(' '),
  'groups-left-out': ({ by, groupsClaim, isFetched }) => {
    const why = `The token leaves the groups out, as Entra does for people in more than 200 (\`${by}\`).`;
    return isFetched
      ? `${why} The service asks the directory for them; here, give the claims with \`${groupsClaim}\`.`
      : `${why} Let the service fetch them: kind \`cloud_directory\` with \`manyGroups: true\` (\`provider_config\`). Or let Entra send fewer: only groups that are assigned to the application.`;
  },
  'entity-not-read': ({ why }) => `Policies and groups of the entity itself are not known: ${why}`,
  'address-assumed': ({ ranges }) =>
    `It must come from one of these addresses: ${ranges.join(', ')}. That was taken as given; --from says it.`,
  'unsafe-number': () =>
    'A bound number that is not whole, or 2^53 and more, is taken for one that no token meets.',
  'groups-asked': () =>
    'The service asks the provider for the groups at sign-in. Those of the claims were taken instead.',
};
