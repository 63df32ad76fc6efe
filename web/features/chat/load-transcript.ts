/** What draws messages. Fetched at once where a link opens a conversation, else in an idle moment: reading markdown is the largest part of the script. */
export const loadTranscript = () => import('./transcript/transcript-view.tsx')
