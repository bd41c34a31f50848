export {
  type SinkAnswer,
  type SinkEvent,
  sinkAnswers,
  startSink,
} from '../services/run-tasks/conformance/sink.ts';
