/** What somebody can be asked or promised to be able to do: the capabilities of policies of any server, but for `deny`. */
export const capabilities = [
  'create',
  'read',
  'update',
  'delete',
  'list',
  'patch',
  'sudo',
  'scan',
  'subscribe',
] as const;
