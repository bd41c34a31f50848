import type { Reply, RequestContext } from '../protocol/path.ts';
import { oneError, Refusal } from '../protocol/refusal.ts';
import { isAudited, requestEntry, responseEntry } from './audit-entry.ts';
import type { AuditLog } from './audit-log.ts';

export interface AuditedArgs {
  /** Where it is written; undefined: nowhere. */
  audit: AuditLog | undefined;
  /** What is known of the request, who asks included once that is known. */
  context: () => RequestContext;
  /** Finds out who asks, and whether they may. */
  admit: () => void;
  answer: () => Promise<Reply>;
  /** Told what went wrong with the log. */
  log: (message: string) => void;
}

/**
 * Answers a request and writes both to the audit log. As with real servers, what cannot be written is not done, and
 * what was done and cannot be written is not told.
 *
 * @throws {Refusal}
 */
export async function audited({ audit, context, admit, answer, log }: AuditedArgs): Promise<Reply> {
  if (audit === undefined || !isAudited(context().request)) {
    admit();
    return await answer();
  }
  const hash = (text: string) => audit.hash(text);
  const write = async (entry: Record<string, unknown>) => {
    try {
      await audit.append(entry);
    } catch (error) {
      log(`the audit log cannot be written: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}`);
      throw new Refusal(500, oneError('internal error'));
    }
  };
  try {
    admit();
  } catch (refused) {
    if (refused instanceof Refusal) await write(requestEntry(context(), hash, refused));
    throw refused;
  }
  await write(requestEntry(context(), hash));
  let reply: Reply;
  try {
    reply = await answer();
  } catch (refused) {
    if (refused instanceof Refusal) await write(responseEntry(context(), hash, refused));
    throw refused;
  }
  await write(responseEntry(context(), hash, reply));
  return reply;
}
