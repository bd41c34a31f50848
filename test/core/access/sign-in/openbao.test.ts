import { testWitnesses } from './replayed-witnesses.ts';

testWitnesses(200);
