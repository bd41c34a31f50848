/** Names of policies, roles, groups and aliases as the service tells them apart: without regard to case or blanks around. */
export function nameKey(name: string): string {
  return name.trim().toLowerCase();
}
