/** Whether a policy whose text nobody has is taken, by its name, for one that decides what others may do. */
export function isAdministrativeName(policy: string): boolean {
  return /admin|root/i.test(policy);
}
