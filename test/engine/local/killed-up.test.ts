import { describeOnEmbeddedService } from '../../two-servers.ts';
import { testKilledUp } from './killed-up.ts';

testKilledUp(describeOnEmbeddedService, [1, 2, 3, 4, 5]);
