import { testWitnesses } from './replayed-witnesses.ts';

// A fifth of the pairs has a witness that OpenBao can be shown.
testWitnesses(5_000);
