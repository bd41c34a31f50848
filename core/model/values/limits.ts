/** Limits and fixed numbers of the secrets service (interface.md, "Limits"). */
export const limits = {
  /** Custom messages that one namespace may hold. */
  customMessagesPerNamespace: 100,
  /** Seconds; shortest expiration of a service account token that a container orchestrator mounts. */
  serviceAccountTokenSeconds: 600,
  /** Groups of one person beyond which the cloud directory needs `manyGroups`. */
  cloudDirectoryGroups: 200,
  /** Loopback port on which the command line waits for the redirect of an OIDC sign-in. */
  cliRedirectPort: 8250,
  /** Default depth to which the workspace suite's groups are followed; 0 follows none. */
  groupsRecurseMaxDepth: 0,
} as const;
