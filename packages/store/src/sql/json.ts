declare const content: unique symbol;

/** A JSON text in a column, with the type of what it holds. Decode it where it is used. */
export type Json<T> = string & { readonly [content]: T };
