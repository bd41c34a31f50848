import { testKilledService } from './killed-service.ts';

testKilledService(Array.from({ length: 30 }, (_, index) => index + 1));
