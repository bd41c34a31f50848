/**
 * Where the directories are that sign-ins are completed from. Nothing that a request says changes them: access tokens
 * go there and nowhere else.
 */
export interface DirectoryAddresses {
  /** Group API of the cloud directory, with its version. Defaults to the public ones. */
  cloudDirectory?: string;
  /** Directory API of the workspace suite. Defaults to the public one. */
  workspaceSuite?: string;
  /** Where the suite gives access tokens to service accounts. Defaults to the public one. */
  workspaceSuiteTokens?: string;
}
