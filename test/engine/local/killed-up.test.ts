import { describeOnEmbeddedService } from '../../harness/two-servers.ts';
import { testKilledUp } from './killed-up.ts';

testKilledUp(describeOnEmbeddedService, [1, 2, 3, 4, 5]);
