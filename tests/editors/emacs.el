;;; Opens the file in PTO_FILE with eglot, applies the repair that begins with PTO_TITLE at the first mark, undoes it,
;;; and prints what was seen as JSON. The configuration is in PTO_CONFIG.
(require 'json)
(require 'cl-lib)
(setq inhibit-message t
      create-lockfiles nil
      make-backup-files nil
      eglot-sync-connect 20
      eglot-autoshutdown t)
(package-initialize)
(require 'eglot)
(load (getenv "PTO_CONFIG") nil t)
;; eglot-ensure waits for the end of a command, which there is none of in a batch.
(remove-hook 'python-mode-hook #'eglot-ensure)

(defun wait-for (condition)
  (with-timeout (30 nil)
    (let (found)
      (while (not (setq found (funcall condition)))
        (accept-process-output nil 0.02))
      found)))

(defun text ()
  (buffer-substring-no-properties (point-min) (point-max)))

(defun marks ()
  (mapcar (lambda (mark)
            (buffer-substring-no-properties (flymake-diagnostic-beg mark) (flymake-diagnostic-end mark)))
          (flymake-diagnostics)))

(find-file (getenv "PTO_FILE"))
(buffer-enable-undo)
(apply #'eglot (eglot--guess-contact))
(flymake-start)
(let ((result (list (cons 'marked (wait-for #'marks))))
      (place (flymake-diagnostic-beg (car (flymake-diagnostics)))))
  (goto-char place)
  (undo-boundary)
  (cl-letf (((symbol-function 'completing-read)
             (lambda (_prompt choices &rest _)
               (cl-find-if (lambda (title) (string-prefix-p (getenv "PTO_TITLE") title))
                           (mapcar (lambda (choice) (if (consp choice) (car choice) choice)) choices))))
            ((symbol-function 'y-or-n-p) (lambda (&rest _) t)))
    ;; As from the keyboard; from the mouse it would be a menu.
    (setq last-nonmenu-event ?x)
    (eglot-code-actions place nil nil t))
  (push (cons 'fixed (text)) result)
  (push (cons 'clean (wait-for (lambda () (null (marks))))) result)
  (undo-boundary)
  (undo)
  ;; eglot tells the server when Emacs is idle, which it never is in a batch.
  (eglot--signal-textDocument/didChange)
  (push (cons 'undone (text)) result)
  (push (cons 'back (wait-for #'marks)) result)
  (princ (json-encode result)))
(eglot-shutdown-all)
