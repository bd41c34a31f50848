import { testKilledService } from './killed-service.ts';

testKilledService([1, 2]);
