// The command line reaches a service by way of the operations alone (docs/architecture.md); here there is nothing to add.
export {
  type SinkAnswer,
  type SinkEvent,
  startSink,
} from '../run-tasks/kit/sink.ts';
