import { describeOnEmbeddedService } from '../../harness/two-servers.ts';
import { testKilledUp } from './killed-up.ts';

// A sample, one kill before and one after a write; 30 seeds on both servers are in killed-up.long.test.ts.
testKilledUp(describeOnEmbeddedService, [1, 2]);
