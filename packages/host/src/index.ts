export { httpAddress, listen, originForm, portInUse } from './listen.ts';
export { Metrics } from './metrics.ts';
export { content, describeRoutes, jsonSchema } from './openapi.ts';
export { findAsset } from './pages/asset.ts';
export {
  ago,
  alarm,
  facts,
  instantText,
  isWebLink,
  noticeOf,
  outsideLink,
  section,
  table,
  tags,
  timeLeft,
} from './pages/content.ts';
export { field, select } from './pages/field.ts';
export { attributes, type Content, html, SafeHtml } from './pages/html.ts';
export { longestMarkdown, renderMarkdown } from './pages/markdown.ts';
export {
  foldedForm,
  leavePage,
  type Method,
  methodField,
  methodsIn,
  plainText,
  providerButton,
  providerList,
  providerSignInPath,
  roleField,
  secret,
  tidyMethod,
} from './pages/sign-in-forms.ts';
export { assetsPath, type PageAnswer, type PageArgs, Site } from './pages/site.ts';
export { readForm, type Visit, Visits } from './pages/visits.ts';
export { Recent, recentAnswer } from './recent.ts';
