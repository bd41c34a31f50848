/** The name that an entity has at an auth method. */
export interface EntityAlias {
  kind: 'entityAlias';
  /** Path of the auth method. */
  method: string;
  /** Names are told apart without regard to case. */
  name: string;
  entity: string;
  /** Its entity is disabled: it keeps people out, and without it they sign in as another entity. Defaults to false. */
  isOfDisabled?: true;
}

/** An alias of a group at a method that knows the groups of a person without a role that reads them. */
export interface OtherAlias {
  kind: 'otherAlias';
  /** Path of the auth method. */
  method: string;
  /** Type of the auth method. */
  type: string;
  name: string;
  group: string;
}

export function entityAlias(name: string, method: string, entity: string): EntityAlias {
  return { kind: 'entityAlias', method, name, entity };
}

export function otherAlias(name: string, method: string, type: string, group: string): OtherAlias {
  return { kind: 'otherAlias', method, type, name, group };
}
