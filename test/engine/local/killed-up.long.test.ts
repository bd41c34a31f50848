import { describeOnBothServers } from '../../harness/two-servers.ts';
import { testKilledUp } from './killed-up.ts';

const seeds = Array.from({ length: 30 }, (_, index) => index + 1);
testKilledUp(describeOnBothServers, seeds);
