/** What questions and promises can name: the capabilities of policies of any server, but for `deny`. */
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
