package org.apache.spark.sql.sqe.files

/** What goes wrong with files that a statement names. Their words are for the user; Python has the codes (engine/failures.py). */
final class FileMissing(message: String) extends RuntimeException(message)

final class FileUnreadable(message: String) extends RuntimeException(message)

final class FileDenied(message: String) extends RuntimeException(message)

final class WrongOption(message: String) extends RuntimeException(message)
