import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Review } from '@gatehouse/core/review';
import { type ReviewedChange, signerOf, statementOf } from '@gatehouse/core/statement';
import { GatehouseError } from '@gatehouse/core/values';
import type { DeploymentResult, Stack } from '@gatehouse/engine';
import { baseRevision } from '../open/at-revision.ts';
import { requireEnvironment } from '../open/open-environment.ts';
import type { PlanArchive } from '../open/read-plan-archive.ts';
import { readText } from '../open/read-text.ts';
import { version } from '../terminal/command.ts';
import { changeOfSteps, fileDigest, stackIn, stepsOf } from './reviewed-change.ts';

interface SigningRequest {
  /** File with the private key, as PEM. */
  keyFile: string;
  /** File for the statement. */
  file: string;
  /** File for the steps of a stack's plan, which a policy pack holds Pulumi to. Defaults to none. */
  steps: string | undefined;
  /** Revision from which exceptions count. Defaults to what is found. */
  base: string | undefined;
  env: NodeJS.ProcessEnv;
}

/** A review that is signed once it is there. */
export class SignedReview {
  readonly #signing: SigningRequest;
  readonly #signer: ReturnType<typeof signerOf>;
  #change: ReviewedChange | undefined;
  #base: string | undefined;

  /** Reads the key first: who waits for a review wants to know before. @throws GatehouseError `signing_key_unusable` */
  static async begin(signing: SigningRequest): Promise<SignedReview> {
    return new SignedReview(signing, signerOf(await readText(signing.keyFile, 'key')));
  }

  private constructor(signing: SigningRequest, signer: ReturnType<typeof signerOf>) {
    this.#signing = signing;
    this.#signer = signer;
  }

  async ofPlan(stack: Stack, planned: DeploymentResult): Promise<void> {
    const steps = stepsOf(planned);
    this.#change = changeOfSteps(await this.#place(stack), steps);
    if (this.#signing.steps !== undefined) await writeFile(this.#signing.steps, JSON.stringify(steps));
  }

  /** @throws GatehouseError `option_conflict.sign` for what nothing applies */
  async ofFile(stack: Stack | undefined, file: string, archive: PlanArchive | undefined): Promise<void> {
    if (archive === undefined) throw new GatehouseError('option_conflict.sign', { given: file });
    const place = stack && (await this.#place(stack));
    this.#change = { name: basename(file), digest: archive.digest, ...(place && { stack: place }) };
  }

  async #place(stack: Stack): Promise<NonNullable<ReviewedChange['stack']>> {
    const { base, env } = this.#signing;
    this.#base = await baseRevision(stack.directory, env, base);
    return stackIn(stack, requireEnvironment(stack, env).service);
  }

  /** @param basis what it was judged on: a snapshot, or the service itself */
  async sign(review: Review, basis: { snapshot: string | undefined; isLive: boolean }): Promise<void> {
    if (this.#change === undefined) throw new GatehouseError('option_conflict.sign');
    const judgedOn =
      basis.snapshot === undefined
        ? { source: basis.isLive ? ('service' as const) : ('plan' as const) }
        : { source: 'snapshot' as const, digest: { sha256: await fileDigest(basis.snapshot, 'snapshot') } };
    const circumstances = {
      version: version(),
      now: new Date(),
      judgedOn,
      ...(this.#base !== undefined && { base: this.#base }),
    };
    const statement = statementOf(this.#change, review, circumstances);
    await mkdir(dirname(this.#signing.file), { recursive: true });
    await writeFile(this.#signing.file, await this.#signer.sign(statement));
  }
}
