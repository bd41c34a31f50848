/** How old a snapshot may be, unless another age is asked for: an older one counts as incomplete. */
export const snapshotAge = '36h';
