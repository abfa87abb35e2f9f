/** What the owner of a link asks its guests, what they answer, and what of it is marked. */
export {
  type AnswerFault,
  type Asked,
  answerFault,
  askedBy,
  type Mark,
  marksOf,
  notAsked,
  sealedAnswer,
  type TypedFault,
  typedFault,
} from './drops/answerFaults.ts'
export { FILE_KIND_BYTES, fileKindFault, fileKindsText, parseFileKinds } from './drops/fileKinds.ts'
export {
  type Question,
  type QuestionsFault,
  questionsBytes,
  questionsFault,
  questionsText,
} from './drops/questions.ts'
export { type Answers, answersText, answerTo, parseAnswers } from './seal/answers.ts'
export { findByLabel, labelKey, spelled } from './seal/plainLine.ts'
