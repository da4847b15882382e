/** The form of a sentence in English, and the sentence in German: `$1` is what stood in its place. */
export type Sentence = readonly [RegExp, string];
