/** Limits and fixed numbers of the secrets service (docs/inside/specification.md, "Limits"). */
export const limits = {
  customMessagesPerNamespace: 100,
  /** Seconds; shortest expiration of a service account token mounted by a container orchestrator. */
  serviceAccountTokenSeconds: 600,
  /** Above this many groups per person, a cloud directory needs `manyGroups`. */
  cloudDirectoryGroups: 200,
  /** Loopback port where the command line waits for the redirect of an OIDC sign-in. */
  cliRedirectPort: 8250,
  /** Default depth of nested groups in a workspace suite; 0 follows none. */
  groupsRecurseMaxDepth: 0,
} as const;
