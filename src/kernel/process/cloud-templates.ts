/** The templates of cloud chats as a process knows them, so that no send asks the database. */

/** A template, as far as it is looked up. */
export interface TemplateKey {
  readonly name: string;
  readonly language: string;
}

/** Why nothing can be sent by a template. */
export interface TemplateFault {
  readonly code: 'template_paused' | 'template_rejected' | 'template_disabled' | 'template_missing';
  /** The same in a sentence. */
  readonly message: string;
}

/** The templates of all connections. */
export interface CloudTemplates {
  /** Null: it can be used, or nothing is known of a template of this name. */
  faultOf(connectionId: string, template: TemplateKey): TemplateFault | null;
  /** Why codes cannot go by a template, and the member that says so. Null: they can, or nothing is known of templates of these connections. */
  otpFaultOf(
    connectionIds: readonly string[],
    template: TemplateKey,
  ): { readonly field: keyof TemplateKey; readonly message: string } | null;
  /** The category of a template where no codes go by it. Null: they do, or nothing is known of a template of this name. */
  otherCategoryOf(connectionIds: readonly string[], name: string): string | null;
  /** Reads them again. */
  refresh(): Promise<void>;
}
