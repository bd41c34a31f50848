import { pageAnswer, problemPage } from './frame.ts';

export const notHere = pageAnswer(
  problemPage('Not here', 'There is no such page, or what it was about is gone.'),
  404,
);

export const notAllowed = pageAnswer(
  problemPage('Not allowed', 'Your policies let you look at runs, and not act on them.'),
  403,
);

export const foreignForm = pageAnswer(
  problemPage(
    'This form is out of date',
    'It is from before you signed in or out, or not from this site at all. Nothing was done. Open the page again.',
  ),
  403,
);
