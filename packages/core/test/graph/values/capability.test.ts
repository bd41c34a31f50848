import { expect, test } from '@jest/globals';
import { capabilities } from '../../../src/graph/values/capability.ts';

// openbao/openbao vault/policy.go; Vault 1.21 has `subscribe` as well. `deny` is none that is asked for.
test('capabilities are those that policies of any server know', () => {
  const [openbao, vault] = ['create read update delete list patch sudo scan', 'subscribe'];
  expect(capabilities.toSorted()).toEqual(`${openbao} ${vault}`.split(' ').toSorted());
});
