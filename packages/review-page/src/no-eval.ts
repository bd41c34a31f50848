import { config } from 'zod';

// The page's policy forbids code that is made of text, and a schema that only tries it would be reported. Imported before any
// schema is made.
config({ jitless: true });
