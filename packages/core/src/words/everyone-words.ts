import type { Everyone, OpenSignIn, openToProvider } from '../access/sign-in/public-issuers.ts';

/** Who can sign in where anyone can: `any repository of any owner at ci.example`, `everyone with an account at …`. */
export function openWords(signIn: OpenSignIn): string {
  if (signIn.kind === 'everyone') return `${everyoneWords(signIn.who)} at ${signIn.host}`;
  return `anyone: the signing algorithm ${JSON.stringify(signIn.algorithm)} does not prove who made a token`;
}

function everyoneWords(who: Everyone): string {
  if (typeof who === 'object') return who.named;
  return who === 'accounts' ? 'everyone with an account' : 'any application of any tenant';
}

/** `everyone with an account at id.example.com` */
export function providerWords({ by, host }: NonNullable<ReturnType<typeof openToProvider>>): string {
  return `everyone with ${by === 'token' ? 'a token of' : 'an account at'} ${host ?? 'the provider'}`;
}
