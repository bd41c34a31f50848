export {
  type Discovery,
  DiscoveryError,
  type DocumentSource,
  readClusterKeys,
  readDiscovery,
  readIssuer,
  readJwks,
  readKeys,
} from './discovery.ts';
export { type Answer, type ExchangeRequest, exchange } from './exchange.ts';
export { issuerFetch } from './issuer-fetch.ts';
export { type LiveGraphOptions, readLiveGraph } from './live-graph.ts';
export { namespaceOf, readOwnToken } from './own-token.ts';
export {
  askWithMadeUpUri,
  type ProviderClient,
  type ProviderEvidence,
  showRedirectUri,
  showSecret,
} from './provider-client.ts';
export {
  beginSignIn,
  finishSignIn,
  formPosted,
  NotSignedIn,
  orRefused,
  type ProviderAnswer,
  passFormOn,
  type SignedInToken,
  signedIn,
} from './provider-sign-in.ts';
export { listenForRedirect } from './redirect-listener.ts';
export { type JsonObject, type ServiceAnswer, ServiceClient } from './service-client.ts';
export { sharingConnections } from './shared-connections.ts';
export { placeOf, sharingReads } from './shared-reads.ts';
export { readCaFile, tlsOptions } from './tls-options.ts';
